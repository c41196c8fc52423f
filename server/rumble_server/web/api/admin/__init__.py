"""The routes with which the administrator manages clubs."""
