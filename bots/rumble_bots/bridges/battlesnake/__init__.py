"""Battlesnakes: HTTP servers that play snakes by Battlesnake's API (docs.battlesnake.com/api), unchanged.

`objects` translates a view into the API's JSON, `webhooks` sends requests to a Battlesnake, and `bot.BattlesnakeBot` is
the bot. The package is apart from the other bridges, so that they start without loading an HTTP client.
"""
