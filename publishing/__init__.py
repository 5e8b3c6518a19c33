"""What goes to the Hub: the dataset, the metric's Space, a model's results. ``push_to_hub.py`` is the door."""
