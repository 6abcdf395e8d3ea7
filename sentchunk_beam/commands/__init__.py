"""The subcommands of `sentchunk`, a module each. `add_to(commands)` adds one with its arguments and its `run`."""
