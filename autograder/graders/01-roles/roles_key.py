"""The key of `roles`: need, label and contents of each setting, and the belief behind its distractor."""

KEY: dict[str, tuple[tuple[str, str, str], str]] = {
    "A hardware shop": (
        (
            "a picture that has to be hung on a wall",
            "the words on the front of each drawer",
            "the hooks inside a drawer",
        ),
        "confidence",
    ),
    "A job fair": (
        (
            "a bakery's search for somebody who can drive",
            "the headline of each application",
            "the work done by the person who is hired",
        ),
        "earlier",
    ),
    "A library": (
        (
            "the wish to know more about whales",
            "the title on the spine of each book",
            "the chapters that are read at home",
        ),
        "nearer",
    ),
    "A lost-property office": (
        (
            "an owner's hunt for a green umbrella",
            "the tags tied to the finds",
            "the umbrella that is given back",
        ),
        "one_description",
    ),
    "A market": (
        (
            "a plan to bake something sweet",
            "the signs stuck into the crates",
            "the fruit that is carried home",
        ),
        "nearer",
    ),
    "A museum": (
        (
            "a child's question about dinosaurs",
            "the signs above the doors",
            "the bones that stand in the room",
        ),
        "people_write",
    ),
    "A phone book": (
        (
            "a burst pipe that needs a plumber",
            "the trade printed beside each name",
            "the number that is dialled",
        ),
        "confidence",
    ),
    "A playlist": (
        (
            "a mood for something calm",
            "the tags given to each song",
            "the sound that fills the room",
        ),
        "winner_takes_all",
    ),
    "A recipe box": (
        (
            "a guest who eats no meat",
            "the names at the top of the cards",
            "the steps that are cooked by",
        ),
        "earlier",
    ),
    "A seed catalogue": (
        (
            "a dark corner of the garden that looks bare",
            "the captions under the pictures",
            "the grains in the bag that is ordered",
        ),
        "query_changes_labels",
    ),
}
