from .sample import main

main()
