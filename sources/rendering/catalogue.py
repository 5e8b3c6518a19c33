"""The entities: their drawings, categories, colours and words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from . import culture, food, nature, person, place, product
from .canvas import Canvas, Color


@dataclass(frozen=True, eq=False)
class Category:
    """Entities that are hard negatives of each other.

    ``coarse`` is what the ``questions`` name; ``scenes`` are the settings (:mod:`.scene`) that suit the category and
    ``adjectives`` the words that captions may use for any of its entities.
    """

    name: str
    domain: str
    coarse: str
    questions: tuple[str, ...]
    scenes: tuple[str, ...]
    adjectives: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Entity:
    """One fine entity.

    ``name`` is what captions say; ``tones`` are the colours it comes in that a caption may say (name -> "#rrggbb"),
    ``plain`` those without a name. Only entities that are ``asked`` have queries in the sample; the others are
    distractors.
    """

    name: str
    category: Category
    draw: Callable[[Canvas, Color], None]
    tones: dict[str, str] = field(default_factory=dict)
    plain: tuple[str, ...] = ()
    asked: bool = True
    plural: bool = False


FRUIT = Category(
    "fruit",
    "food",
    "fruit",
    (
        "What kind of fruit is this?",
        "What type of fruit is this?",
        "Which fruit is this?",
        "What is this fruit called?",
    ),
    ("table", "kitchen", "planks", "checked", "dotted", "marble", "striped", "garden"),
    ("ripe", "fresh", "juicy", "sweet"),
)
VEGETABLE = Category(
    "vegetable",
    "food",
    "vegetable",
    (
        "What vegetable is this?",
        "What kind of vegetable is this?",
        "Which vegetable is this?",
        "Can you name this vegetable?",
    ),
    ("table", "kitchen", "planks", "checked", "marble", "striped", "garden", "lawn"),
    ("fresh", "raw", "home-grown", "freshly picked"),
)
DISH = Category(
    "dish",
    "food",
    "dish",
    ("What dish is this?", "What kind of dish is this?", "Which dish is this?", "What is the name of this dish?"),
    ("table", "kitchen", "planks", "checked", "dotted", "marble"),
    ("tasty", "delicious", "freshly made", "tempting"),
)
FLOWER = Category(
    "flower",
    "nature",
    "flower",
    (
        "What type of flower is this?",
        "Which flower is this?",
        "What is this flower called?",
        "What kind of flower is this?",
    ),
    ("meadow", "garden", "foliage", "table", "room", "studio", "brick"),
    ("blooming", "beautiful", "delicate", "fragrant"),
)
BIRD = Category(
    "bird",
    "nature",
    "bird",
    ("Which bird is this?", "What kind of bird is this?", "What species of bird is this?", "Do you know this bird?"),
    ("meadow", "garden", "beach", "foliage", "studio", "sea"),
    ("wild", "curious", "colourful", "resting"),
)
INSECT = Category(
    "insect",
    "nature",
    "insect",
    (
        "What insect is this?",
        "Which insect is this?",
        "What kind of insect is this?",
        "Can you tell me what insect this is?",
    ),
    ("foliage", "lawn", "planks", "marble", "striped"),
    ("tiny", "small", "resting", "busy"),
)
SEA_ANIMAL = Category(
    "sea animal",
    "nature",
    "sea animal",
    (
        "What sea animal is this?",
        "Which sea animal is this?",
        "What kind of sea animal is this?",
        "What is this sea animal called?",
    ),
    ("water", "water", "beach", "water", "studio"),
    ("wild", "playful", "lively", "young"),
)
VEHICLE = Category(
    "vehicle",
    "product",
    "vehicle",
    (
        "What kind of vehicle is this?",
        "What type of vehicle is this?",
        "Which vehicle is this?",
        "What is this vehicle called?",
    ),
    ("street", "brick", "meadow", "desert", "snow", "studio", "night"),
    ("shiny", "new", "old", "well-kept"),
)
CRAFT = replace(VEHICLE, name="craft", scenes=("sky", "sky", "sea", "meadow"))
BOAT = replace(VEHICLE, name="boat", scenes=("sea", "sea", "beach"))
KITCHEN_TOOL = Category(
    "kitchen tool",
    "product",
    "kitchen tool",
    (
        "What kitchen tool is this?",
        "Which kitchen tool is this?",
        "What is this kitchen tool called?",
        "What kind of kitchen tool is this?",
    ),
    ("table", "kitchen", "planks", "checked", "marble", "dotted"),
    ("new", "clean", "handy", "well-used"),
)
CLOTHING = Category(
    "clothing",
    "product",
    "piece of clothing",
    (
        "What piece of clothing is this?",
        "What kind of piece of clothing is this?",
        "Which piece of clothing is this?",
        "What do you call this piece of clothing?",
    ),
    ("planks", "striped", "dotted", "studio", "room", "brick", "marble"),
    ("new", "stylish", "comfortable", "second-hand"),
)
BUILDING = Category(
    "building",
    "place",
    "building",
    (
        "What kind of building is this?",
        "Which building is this?",
        "What building is this?",
        "What type of building is this?",
    ),
    ("meadow", "beach", "snow", "desert", "night", "street"),
    ("old", "famous", "well-preserved", "picturesque"),
)
LANDSCAPE = Category(
    "landscape",
    "place",
    "landscape",
    (
        "What kind of landscape is this?",
        "What type of landscape is this?",
        "What is this landscape called?",
        "Which landscape is this?",
    ),
    ("meadow", "desert", "sea", "night", "snow"),
    ("impressive", "remote", "scenic", "quiet"),
)
INSTRUMENT = Category(
    "musical instrument",
    "culture",
    "musical instrument",
    (
        "What musical instrument is this?",
        "Which musical instrument is this?",
        "What kind of musical instrument is this?",
        "What is the name of this musical instrument?",
    ),
    ("stage", "room", "stage", "studio", "brick", "planks"),
    ("antique", "hand-made", "well-tuned", "fine"),
)
HAT = Category(
    "hat",
    "culture",
    "hat",
    ("What kind of hat is this?", "What type of hat is this?", "Which hat is this?", "What do you call this hat?"),
    ("table", "room", "stage", "planks", "striped", "studio"),
    ("elegant", "old", "traditional", "splendid"),
)
MASK = Category(
    "mask",
    "culture",
    "mask",
    ("What kind of mask is this?", "Which mask is this?", "What type of mask is this?", "What mask is this?"),
    ("stage", "studio", "planks", "dotted", "striped", "brick"),
    ("hand-painted", "traditional", "carved", "expressive"),
)
PERSON = Category(
    "person",
    "person",
    "person",
    (
        "Who is this person?",
        "What does this person do?",
        "What is the job of this person?",
        "What kind of person is this?",
    ),
    ("street", "room", "garden", "brick", "studio", "meadow", "beach"),
    ("friendly", "proud", "cheerful", "calm"),
)

ENTITIES: tuple[Entity, ...] = (
    Entity("apple", FRUIT, food.apple, {"red": "#c8281e", "green": "#8fb63c", "yellow": "#e3c33f"}),
    Entity("banana", FRUIT, food.banana, {"yellow": "#f2cf3a", "green": "#b5c24a"}),
    Entity("pear", FRUIT, food.pear, {"green": "#b9c24a", "yellow": "#dcc14e"}),
    Entity("orange", FRUIT, food.orange, plain=("#f08a1c",)),
    Entity("lemon", FRUIT, food.lemon, {"yellow": "#f4de3c"}),
    Entity("strawberry", FRUIT, food.strawberry, {"red": "#d4222e"}),
    Entity("pineapple", FRUIT, food.pineapple, {"golden": "#dfa32c"}),
    Entity("cherry", FRUIT, food.cherry, {"red": "#c2182b", "dark red": "#86132a"}, asked=False),
    Entity("kiwi", FRUIT, food.kiwi, {"green": "#86b03a"}, asked=False),
    Entity("watermelon", FRUIT, food.watermelon, {"red": "#e5484d"}, asked=False),
    Entity("grapes", FRUIT, food.grapes, {"purple": "#5b2f78", "green": "#a5bd4e"}, asked=False, plural=True),
    Entity("carrot", VEGETABLE, food.carrot, {"orange": "#ee7d20"}),
    Entity("tomato", VEGETABLE, food.tomato, {"red": "#d8331f"}),
    Entity("aubergine", VEGETABLE, food.aubergine, {"purple": "#4a2158"}),
    Entity("broccoli", VEGETABLE, food.broccoli, {"green": "#4a8b3a"}, plural=True),
    Entity("mushroom", VEGETABLE, food.mushroom, {"red": "#c4302b", "brown": "#a9744a"}),
    Entity("pepper", VEGETABLE, food.pepper, {"red": "#d82a1f", "yellow": "#efc02c", "green": "#4f9a3a"}),
    Entity("pumpkin", VEGETABLE, food.pumpkin, {"orange": "#ea7d1c"}),
    Entity("corn cob", VEGETABLE, food.corn, {"yellow": "#f3cc3a"}, asked=False),
    Entity("onion", VEGETABLE, food.onion, {"brown": "#c98642", "red": "#8f2f58"}, asked=False),
    Entity("cabbage", VEGETABLE, food.cabbage, {"green": "#8fbf5a"}, asked=False),
    Entity("pea pod", VEGETABLE, food.peas, {"green": "#6db33f"}, asked=False),
    Entity("burger", DISH, food.burger, plain=("#d8331f",)),
    Entity("pizza", DISH, food.pizza, plain=("#b5382a",)),
    Entity("sushi", DISH, food.sushi, plain=("#f08a5a",), plural=True),
    Entity("fried egg", DISH, food.fried_egg, plain=("#f7b21e",)),
    Entity("ice cream cone", DISH, food.ice_cream, {"pink": "#f0a0b4", "green": "#b5dcae", "chocolate": "#7a4a30"}),
    Entity("hot dog", DISH, food.hot_dog, plain=("#b5533a",), asked=False),
    Entity(
        "doughnut", DISH, food.doughnut, {"pink": "#ee7fa8", "chocolate": "#6f4228", "white": "#f5efe4"}, asked=False
    ),
    Entity("bowl of ramen", DISH, food.ramen, plain=("#b3302a",), asked=False),
    Entity("rose", FLOWER, nature.rose, {"red": "#c8202f", "pink": "#ee8fb0", "white": "#f3efe6", "yellow": "#f0cf4a"}),
    Entity("tulip", FLOWER, nature.tulip, {"red": "#d42a34", "yellow": "#f2c83a", "purple": "#8a4a9c"}),
    Entity("sunflower", FLOWER, nature.sunflower, {"yellow": "#f2bd2c"}),
    Entity("daisy", FLOWER, nature.daisy, {"white": "#f7f5ee"}),
    Entity("lavender", FLOWER, nature.lavender, {"purple": "#8a6ab8"}, asked=False, plural=True),
    Entity("poppy", FLOWER, nature.poppy, {"red": "#d8301f", "orange": "#ee7d2c"}, asked=False),
    Entity("lotus", FLOWER, nature.lotus, {"pink": "#e58ab0", "white": "#efe8ea"}, asked=False),
    Entity("owl", BIRD, nature.owl, {"brown": "#8a6240", "grey": "#8d8a86"}),
    Entity("flamingo", BIRD, nature.flamingo, {"pink": "#f08aa0"}),
    Entity("parrot", BIRD, nature.parrot, {"red": "#d42f2a", "green": "#4fa34a"}),
    Entity("penguin", BIRD, nature.penguin, {"black": "#2f3640"}, asked=False),
    Entity("duck", BIRD, nature.duck, {"white": "#f3f0e6", "yellow": "#f2cf4a", "brown": "#9a7248"}, asked=False),
    Entity("toucan", BIRD, nature.toucan, {"black": "#2a2c30"}, asked=False),
    Entity("butterfly", INSECT, nature.butterfly, {"orange": "#ee8a2c", "blue": "#3f8ad0", "yellow": "#f2cf4a"}),
    Entity("bee", INSECT, nature.bee, {"yellow": "#f2b92c"}),
    Entity("ladybird", INSECT, nature.ladybird, {"red": "#d42a22"}),
    Entity("dragonfly", INSECT, nature.dragonfly, {"blue": "#2f8ac0", "green": "#3f9a6a"}, asked=False),
    Entity("grasshopper", INSECT, nature.grasshopper, {"green": "#7ab04a", "brown": "#a8844a"}, asked=False),
    Entity("clownfish", SEA_ANIMAL, nature.clownfish, {"orange": "#f2801f"}),
    Entity("octopus", SEA_ANIMAL, nature.octopus, {"red": "#c8544a", "purple": "#9a5ab0"}),
    Entity("crab", SEA_ANIMAL, nature.crab, {"red": "#d8432c", "orange": "#e88a3a"}),
    Entity("turtle", SEA_ANIMAL, nature.turtle, {"green": "#5a8a4a", "brown": "#8a6a42"}),
    Entity("shark", SEA_ANIMAL, nature.shark, {"grey": "#7d8c9a"}, asked=False),
    Entity("starfish", SEA_ANIMAL, nature.starfish, {"orange": "#ee8a3a", "red": "#d84a4a"}, asked=False),
    Entity("jellyfish", SEA_ANIMAL, nature.jellyfish, {"pink": "#e89ac8", "blue": "#8ab0e8"}, asked=False),
    Entity("whale", SEA_ANIMAL, nature.whale, {"blue": "#3f6a9a"}, asked=False),
    Entity("car", VEHICLE, product.car, {"red": "#c8322c", "blue": "#2f6ab5", "green": "#3f8a5a", "white": "#e9e6de"}),
    Entity("bicycle", VEHICLE, product.bicycle, {"red": "#c8322c", "blue": "#2f6ab5", "green": "#3f8a5a"}),
    Entity("motorbike", VEHICLE, product.motorbike, {"red": "#c8322c", "black": "#3a3d42", "blue": "#2f5aa0"}),
    Entity("train", VEHICLE, product.train, {"red": "#b8322c", "green": "#3a7a4c", "blue": "#2f5a9a"}),
    Entity("tractor", VEHICLE, product.tractor, {"green": "#3f8a3f", "red": "#c8322c"}),
    Entity("bus", VEHICLE, product.bus, {"red": "#c8322c", "yellow": "#f2bd2c", "blue": "#3f7ac0"}, asked=False),
    Entity("lorry", VEHICLE, product.lorry, {"blue": "#2f6ab5", "red": "#c8322c", "orange": "#e8852c"}, asked=False),
    Entity("aeroplane", CRAFT, product.aeroplane, {"blue": "#2f6ab5", "red": "#c8322c"}, asked=False),
    Entity("hot-air balloon", CRAFT, product.balloon, {"red": "#d0402f", "blue": "#3f74b5", "green": "#3f9a6a"}),
    Entity(
        "helicopter", CRAFT, product.helicopter, {"red": "#c8322c", "yellow": "#f0c02c", "blue": "#2f6ab5"}, asked=False
    ),
    Entity("sailing boat", BOAT, product.sailing_boat, {"red": "#c8322c", "blue": "#2f6ab5", "green": "#3f8a5a"}),
    Entity("teapot", KITCHEN_TOOL, product.teapot, {"blue": "#4a86c0", "red": "#c8443c", "white": "#ece8de"}),
    Entity("frying pan", KITCHEN_TOOL, product.frying_pan, {"black": "#4a4d52", "red": "#b83a34"}),
    Entity("grater", KITCHEN_TOOL, product.grater, {"red": "#c8322c", "green": "#4a9a5a", "black": "#3a3d42"}),
    Entity(
        "mug", KITCHEN_TOOL, product.mug, {"red": "#c8443c", "blue": "#3f74b5", "yellow": "#f0c24a", "green": "#4f9a6a"}
    ),
    Entity("wine glass", KITCHEN_TOOL, product.wine_glass, plain=("#8c1f38", "#e8d27a"), asked=False),
    Entity(
        "whisk", KITCHEN_TOOL, product.whisk, {"red": "#c8322c", "black": "#3a3d42", "blue": "#3f74b5"}, asked=False
    ),
    Entity(
        "cooking pot",
        KITCHEN_TOOL,
        product.cooking_pot,
        {"red": "#c8322c", "grey": "#9aa0a8", "blue": "#3f6a9a"},
        asked=False,
    ),
    Entity(
        "kettle", KITCHEN_TOOL, product.kettle, {"red": "#c8322c", "grey": "#a9b0b8", "green": "#5a9a7a"}, asked=False
    ),
    Entity(
        "trainer",
        CLOTHING,
        product.trainer,
        {"red": "#c8322c", "blue": "#2f6ab5", "black": "#3a3d42", "green": "#4a9a5a"},
    ),
    Entity(
        "T-shirt",
        CLOTHING,
        product.t_shirt,
        {"red": "#c8443c", "blue": "#3f74b5", "yellow": "#f0c24a", "green": "#4f9a6a"},
    ),
    Entity(
        "dress", CLOTHING, product.dress, {"red": "#c8324c", "blue": "#3f74b5", "purple": "#8a4a9c", "green": "#4f9a6a"}
    ),
    Entity("sock", CLOTHING, product.sock, {"red": "#c8443c", "blue": "#3f74b5", "green": "#4f9a6a"}),
    Entity(
        "high-heeled shoe",
        CLOTHING,
        product.high_heel,
        {"red": "#c8202f", "black": "#2f3034", "pink": "#e87aa0"},
        asked=False,
    ),
    Entity("boot", CLOTHING, product.boot, {"brown": "#8a5a34", "black": "#3a3a3d", "red": "#a83a34"}, asked=False),
    Entity("sandal", CLOTHING, product.sandal, {"brown": "#8a4a2a", "blue": "#2f6a9a", "red": "#c8322c"}, asked=False),
    Entity(
        "trousers",
        CLOTHING,
        product.trousers,
        {"blue": "#3f5f92", "brown": "#8a6a48", "grey": "#7d8288"},
        asked=False,
        plural=True,
    ),
    Entity("coat", CLOTHING, product.coat, {"brown": "#b08a5a", "red": "#b8383a", "blue": "#3f5f92"}, asked=False),
    Entity("lighthouse", BUILDING, place.lighthouse, plain=("#c8322c", "#2f5a9a")),
    Entity("castle", BUILDING, place.castle, plain=("#a9a49a", "#c2ab88", "#8f959c")),
    Entity("windmill", BUILDING, place.windmill, plain=("#e9dfc8", "#b98a62", "#a0a8a0")),
    Entity("igloo", BUILDING, place.igloo, plain=("#e6f0f6", "#d3e2ee")),
    Entity("pagoda", BUILDING, place.pagoda, {"red": "#b8322c", "green": "#3f7a5c"}),
    Entity("barn", BUILDING, place.barn, {"red": "#a8322c", "brown": "#8a5f3c"}),
    Entity("church", BUILDING, place.church, plain=("#ece6d8", "#cfc0a4", "#b9b4ac"), asked=False),
    Entity("skyscraper", BUILDING, place.skyscraper, plain=("#8d99a8", "#b0a698", "#6d7f95"), asked=False),
    Entity("pyramid", BUILDING, place.pyramid, plain=("#dcb878", "#cda46a"), asked=False),
    Entity("tent", BUILDING, place.tent, {"orange": "#e8852c", "green": "#5a9a4a", "blue": "#3f74b5"}, asked=False),
    Entity("bridge", BUILDING, place.bridge, plain=("#b0a594", "#9aa0a4", "#b58a6a"), asked=False),
    Entity("volcano", LANDSCAPE, place.volcano, plain=("#6f5a50", "#5f5a5c", "#80644f")),
    Entity("waterfall", LANDSCAPE, place.waterfall, plain=("#8a8078", "#7d7a6a")),
    Entity("palm island", LANDSCAPE, place.island, plain=("#4f9a44", "#6aa83f")),
    Entity("mountain", LANDSCAPE, place.mountain, plain=("#7d8590", "#8a7a6c"), asked=False),
    Entity("guitar", INSTRUMENT, culture.guitar, {"brown": "#b8733a", "red": "#a83228", "black": "#3f3a3a"}),
    Entity("drum", INSTRUMENT, culture.drum, {"red": "#b8322c", "blue": "#2f5a9a", "green": "#3f7a4c"}),
    Entity("trumpet", INSTRUMENT, culture.trumpet, {"golden": "#e0b43a", "silver": "#b9bec4"}),
    Entity("accordion", INSTRUMENT, culture.accordion, {"red": "#b8262c", "blue": "#2f5a9a", "black": "#3a3d42"}),
    Entity("violin", INSTRUMENT, culture.violin, {"brown": "#a8592a", "dark": "#7a3f20"}, asked=False),
    Entity(
        "piano", INSTRUMENT, culture.piano, {"brown": "#7a4a2a", "black": "#35353a", "white": "#e6e2da"}, asked=False
    ),
    Entity("harp", INSTRUMENT, culture.harp, {"golden": "#d9b04a", "brown": "#9a6236"}, asked=False),
    Entity(
        "maracas",
        INSTRUMENT,
        culture.maracas,
        {"red": "#c8322c", "green": "#3f9a5a", "blue": "#2f7ab5"},
        asked=False,
        plural=True,
    ),
    Entity("top hat", HAT, culture.top_hat, {"black": "#33343a", "grey": "#8a8d92"}),
    Entity("sombrero", HAT, culture.sombrero, plain=("#e0b868", "#c89a5a", "#e8d2a0")),
    Entity("wizard's hat", HAT, culture.wizard_hat, {"blue": "#34478c", "purple": "#6a3f92"}),
    Entity("crown", HAT, culture.crown, {"golden": "#e2b73c", "silver": "#bcc2c8"}, asked=False),
    Entity(
        "cowboy hat", HAT, culture.cowboy_hat, {"brown": "#9a6a3c", "black": "#3f3c3c", "white": "#e8dfcc"}, asked=False
    ),
    Entity("fez", HAT, culture.fez, {"red": "#b02a30"}, asked=False),
    Entity("carnival mask", MASK, culture.carnival_mask, {"golden": "#d9b03a", "purple": "#7d3fa0", "red": "#b8263c"}),
    Entity("demon mask", MASK, culture.oni_mask, {"red": "#c02a22", "blue": "#3f6ab0", "green": "#4a8a4a"}),
    Entity(
        "plague doctor mask", MASK, culture.plague_mask, {"brown": "#8a5f3c", "black": "#4a4648", "white": "#dcd6c8"}
    ),
    Entity("theatre mask", MASK, culture.theatre_mask, {"white": "#f0ece0", "golden": "#dcb24a"}, asked=False),
    Entity("lion mask", MASK, culture.lion_mask, plain=("#dca04a", "#c98a3a"), asked=False),
    Entity("firefighter", PERSON, person.firefighter, plain=("#3a4656", "#b8842c")),
    Entity("doctor", PERSON, person.doctor, plain=("#3f8a9a", "#5a7ab0", "#6aa07a")),
    Entity("chef", PERSON, person.chef, plain=("#4a4f58", "#3f5a7a")),
    Entity("police officer", PERSON, person.police_officer, plain=("#2f4a86", "#38506a")),
    Entity("astronaut", PERSON, person.astronaut, plain=("#2f6ab5", "#c8322c", "#e8852c")),
    Entity("pirate", PERSON, person.pirate, plain=("#8c2a34", "#2f4a7a", "#4a6a3f")),
    Entity("knight", PERSON, person.knight, plain=("#b8262c", "#2f5a9a", "#3f7a4c")),
    Entity("farmer", PERSON, person.farmer, plain=("#3f6498", "#5a7a9a"), asked=False),
    Entity("painter", PERSON, person.painter, plain=("#c8322c", "#2f6ab5", "#3f8a5a"), asked=False),
    Entity("builder", PERSON, person.builder, plain=("#f0852c", "#c8d83a"), asked=False),
    Entity("king", PERSON, person.king, plain=("#a82434", "#5a2f7a", "#2f4a8c"), asked=False),
    Entity("diver", PERSON, person.diver, plain=("#2f3a44", "#2f5a86"), asked=False),
)
