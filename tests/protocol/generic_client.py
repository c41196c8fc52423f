"""A bot without any knowledge of Rumble: it plays by asyncapi.json alone, and chooses at random where allowed."""

import json
import random
from typing import Any

from jsonschema import Draft7Validator
from referencing import Registry
from referencing.jsonschema import DRAFT7
from websockets.sync.client import connect
from websockets.typing import Subprotocol

Json = dict[str, Any]


class Contract:
    """The channel of an AsyncAPI 3 document, from the client's side."""

    def __init__(self, document: Json) -> None:
        self._document = document
        resource = DRAFT7.create_resource(document)
        self._registry: Registry[Any] = Registry().with_resource("contract:", resource)
        (self.channel,) = document["channels"].values()
        self._sent_to_us = [each for each in document["operations"].values() if each["action"] == "send"]

    def at(self, pointer: str) -> Any:
        """Resolve a local reference, and the references on the way."""
        found: Any = self._document
        for part in pointer.removeprefix("#/").split("/"):
            found = found[part]
            while isinstance(found, dict) and "$ref" in found:
                found = self.at(found["$ref"])
        return found

    def is_valid(self, payload: str, value: Json) -> bool:
        """Return whether a value is valid by the payload schema that a reference names."""
        return Draft7Validator({"$ref": f"contract:{payload}"}, registry=self._registry).is_valid(value)

    def operation_of(self, frame: Json) -> Json | None:
        """Return the operation to which a frame of the server belongs; None if the document has none."""
        for operation in self._sent_to_us:
            for message in operation["messages"]:
                if self.is_valid(self.at(message["$ref"])["payload"]["$ref"], frame):
                    return operation  # type: ignore[no-any-return]  # JSON
        return None

    def answer(self, operation: Json, frame: Json, given: Json, chance: random.Random) -> Json | None:
        """Build the answer to a frame; None if the operation has no reply."""
        if "reply" not in operation:
            return None
        reply = operation["reply"]
        payload = self.at(reply["messages"][0]["$ref"])["payload"]["$ref"]
        schema = self.at(payload)
        answer = {name: field["const"] for name, field in schema["properties"].items() if "const" in field}
        for name, source in reply["x-values"].items():
            if "from" in source:
                found: Any = frame
                for part in source["from"].removeprefix("$message.payload#/").split("/"):
                    found = found[part]
                answer[name] = chance.choice(found) if source.get("choose") else found
            elif name in given:
                answer[name] = given[name]
        assert self.is_valid(payload, answer), f"the document does not tell how to make {answer}"
        return answer


def play(document: Json, host: str, given: Json, seed: int) -> list[Json]:
    """Play until an operation with `x-ends`; return every frame received. `given` has the fields that are given."""
    contract = Contract(document)
    chance = random.Random(seed)
    (server,) = document["servers"].values()
    url = f"{server['protocol']}://{host}{contract.channel['address']}"
    heard: list[Json] = []
    with connect(url, subprotocols=[Subprotocol(contract.channel["x-subprotocol"])], proxy=None) as socket:
        for text in socket:
            frame = json.loads(text)
            heard.append(frame)
            operation = contract.operation_of(frame)
            if operation is None:
                continue
            answer = contract.answer(operation, frame, given, chance)
            if answer is not None:
                socket.send(json.dumps(answer))
            if operation.get("x-ends"):
                break
    return heard
