"""Battlesnakes: HTTP servers with Battlesnake's API (docs.battlesnake.com/api). An unchanged Battlesnake can play the
game `snakes`.

`objects` makes the API's JSON from a view, `webhooks` sends requests to a Battlesnake, and `bot.BattlesnakeBot` is the
bot. The package is separate, so that the other bridges start without loading an HTTP client.
"""
