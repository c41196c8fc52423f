// A WebSocket client of Node alone (RFC 6455), for texts. Node has one of its own, which tells neither pings nor statuses.

import { createHash, randomBytes } from "node:crypto";
import { EventEmitter } from "node:events";
import { request as plain } from "node:http";
import { request as encrypted } from "node:https";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"; // RFC 6455, section 1.3
const CONTINUED = 0, TEXT = 1, CLOSE = 8, PING = 9, PONG = 10; // section 11.8
const LOST = 1006; // section 7.4.1: the connection ended without a close frame

/** Emits `message` (a text), `ping`, `error` and, as the last event, `close` with its code. */
export class WebSocket extends EventEmitter {
  #socket;
  #received = Buffer.alloc(0);
  #text = []; // the frames of an unfinished message
  #code = LOST;
  #closing = false;

  constructor(url) {
    super();
    const key = randomBytes(16).toString("base64");
    const headers = {
      Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Key": key, "Sec-WebSocket-Version": "13",
    };
    const request = (url.startsWith("wss:") ? encrypted : plain)(url.replace(/^ws/, "http"), { headers });
    this.#socket = request;
    request.on("error", (error) => this.#failed(error));
    request.on("response", (response) => {
      this.#failed(Object.assign(new Error(`the server answered ${response.statusCode}`), { status: response.statusCode }));
      request.destroy();
    });
    request.on("upgrade", (response, socket, head) => {
      this.#socket = socket;
      socket.on("error", (error) => this.emit("error", error));
      socket.on("close", () => this.emit("close", this.#code));
      socket.on("data", (bytes) => this.#read(bytes));
      socket.setNoDelay();
      const accepted = createHash("sha1").update(key + GUID).digest("base64");
      if (response.headers["sec-websocket-accept"] !== accepted) socket.destroy(new Error("no WebSocket server"));
      else this.#read(head);
    });
    request.end();
  }

  send(text) {
    this.#write(TEXT, Buffer.from(text));
  }

  close(code) {
    this.#closing = true;
    const bytes = Buffer.alloc(2);
    bytes.writeUInt16BE(code);
    this.#write(CLOSE, bytes);
  }

  terminate() {
    this.#socket.destroy();
  }

  #failed(error) {
    this.emit("error", error);
    this.emit("close", LOST);
  }

  /** Writes a frame, masked as section 5.3 says. Frames of a bot have less than 65,536 bytes. */
  #write(kind, bytes) {
    const length = bytes.length < 126 ? [bytes.length] : [126, bytes.length >> 8, bytes.length & 255];
    const mask = randomBytes(4);
    const head = Buffer.from([0x80 | kind, 0x80 | length[0], ...length.slice(1), ...mask]);
    this.#socket.write(Buffer.concat([head, bytes.map((byte, at) => byte ^ mask[at % 4])]));
  }

  #read(bytes) {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (let frame; (frame = this.#frame()); ) this.#take(...frame);
  }

  /** Takes the next whole frame off the received bytes: whether it is the last of its message, its kind, its bytes. */
  #frame() {
    const received = this.#received;
    if (received.length < 2) return;
    const short = received[1] & 127;
    const from = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (received.length < from) return;
    const length = from === 2 ? short : received.readUIntBE(from === 4 ? 2 : 4, from === 4 ? 2 : 6);
    if (received.length < from + length) return;
    this.#received = received.subarray(from + length);
    return [received[0] >= 0x80, received[0] & 15, received.subarray(from, from + length)];
  }

  #take(last, kind, bytes) {
    if (kind === TEXT || kind === CONTINUED) {
      this.#text.push(bytes);
      if (last) this.emit("message", Buffer.concat(this.#text.splice(0)).toString());
    } else if (kind === PING) {
      this.#write(PONG, bytes);
      this.emit("ping");
    } else if (kind === CLOSE) {
      this.#code = bytes.length < 2 ? 1005 : bytes.readUInt16BE();
      if (!this.#closing) this.#write(CLOSE, bytes.subarray(0, 2));
      this.#socket.end();
    }
  }
}
