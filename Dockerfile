# One image with the server, the bots and the command line: `docker build -t rumble .`
# It is for linux/amd64: py4swiss, which pairs a Swiss, has no wheel for Linux on arm64.
FROM python:3.13-slim

RUN useradd --create-home --uid 10001 rumble && install -d -o rumble -g rumble /data
WORKDIR /src
# Everything that is installed has its version and hash there, also what builds the wheel; CONTRIBUTING.md says how it is made.
COPY .ci/image.txt ./
RUN pip install --no-cache-dir --only-binary :all: --require-hashes -r image.txt
COPY pyproject.toml hatch_readme.py README.md LICENSE ./
COPY engine ./engine
COPY protocol ./protocol
COPY server ./server
COPY bots ./bots
RUN pip install --no-cache-dir --no-deps --no-build-isolation . && rm -rf /src

USER rumble
WORKDIR /data
# The folder of the database, and of the keys that bots create for their names.
ENV RUMBLE_CONFIG_DIR=/data/config
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=5 \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8765/healthz', timeout=2)"]
CMD ["rumble", "serve", "--host", "0.0.0.0", "--port", "8765", "--db", "/data/rumble.db"]
