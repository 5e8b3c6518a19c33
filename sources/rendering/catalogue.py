"""The entities: their drawings, categories, colours and words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from . import food
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

    ``name`` is what captions say, ``tones`` the colours it comes in (name -> "#rrggbb"; the name "" is never said).
    Only entities that are ``asked`` have queries in the sample; the others are distractors.
    """

    name: str
    category: Category
    draw: Callable[[Canvas, Color], None]
    tones: dict[str, str] = field(default_factory=dict)
    asked: bool = True
    plural: bool = False


FRUIT = Category(
    "fruit",
    "food",
    "fruit",
    ("What kind of fruit is this?", "What type of fruit is this?", "Which fruit is this?", "What is this fruit called?"),
    ("table", "kitchen", "planks", "checked", "dotted", "marble", "striped", "garden"),
    ("ripe", "fresh", "juicy", "sweet"),
)
VEGETABLE = Category(
    "vegetable",
    "food",
    "vegetable",
    ("What vegetable is this?", "What kind of vegetable is this?", "Which vegetable is this?", "Can you name this vegetable?"),
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
ENTITIES: tuple[Entity, ...] = (
    Entity("apple", FRUIT, food.apple, {"red": "#c8281e", "green": "#8fb63c", "yellow": "#e3c33f"}),
    Entity("banana", FRUIT, food.banana, {"yellow": "#f2cf3a", "green": "#b5c24a"}),
    Entity("pear", FRUIT, food.pear, {"green": "#b9c24a", "yellow": "#dcc14e"}),
    Entity("orange", FRUIT, food.orange, {"": "#f08a1c"}),
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
    Entity("burger", DISH, food.burger, {"": "#d8331f"}),
    Entity("pizza", DISH, food.pizza, {"": "#b5382a"}),
    Entity("sushi", DISH, food.sushi, {"": "#f08a5a"}, plural=True),
    Entity("fried egg", DISH, food.fried_egg, {"": "#f7b21e"}),
    Entity("ice cream cone", DISH, food.ice_cream, {"pink": "#f0a0b4", "green": "#b5dcae", "chocolate": "#7a4a30"}),
    Entity("hot dog", DISH, food.hot_dog, {"": "#b5533a"}, asked=False),
    Entity("doughnut", DISH, food.doughnut, {"pink": "#ee7fa8", "chocolate": "#6f4228", "white": "#f5efe4"}, asked=False),
    Entity("bowl of ramen", DISH, food.ramen, {"": "#b3302a"}, asked=False),
)
