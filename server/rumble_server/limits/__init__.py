"""Who may do how much: pure machines that count by address and by name. Time is given, in ms."""
