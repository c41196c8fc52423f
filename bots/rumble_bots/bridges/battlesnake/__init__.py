"""Battlesnakes: HTTP servers with Battlesnake's API (docs.battlesnake.com/api), which play snakes without a change.

`objects` makes the API's JSON from a view, `webhooks` sends requests to a Battlesnake, and `bot.BattlesnakeBot` is the
bot. The package is separate, to let the other bridges start without loading an HTTP client.
"""
