"""Draws the scenes of the embedded sample and of the tiny model's training set.

Everything is vector drawing by our own code: :mod:`.canvas` paints shaded polygons and strokes, the domain modules
(:mod:`.food`, :mod:`.nature`, :mod:`.product`, :mod:`.place`, :mod:`.person`, :mod:`.culture`) hold one small function
an entity, :mod:`.catalogue` lists the entities with their categories and words, :mod:`.scene` sets an entity into a
scene, and :mod:`.sample` writes the sample (``python -m snapbench.sources.rendering``).
"""
