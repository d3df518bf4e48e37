"""What real models wrote, with what an honest reader reads in it."""
