# The two commands of the README in a fresh Debian: `docker build -t geotherm . && docker run geotherm demo`.
# The first stage builds and runs the demo; `--target tested` runs every test; the last one holds the program alone.
FROM debian:12-slim AS built
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git make && rm -rf /var/lib/apt/lists/*
WORKDIR /geotherm
COPY . .
RUN make demo
RUN cmake --install build --prefix /opt/geotherm --component runtime

FROM built AS tested
RUN make test

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends libfmt9 libhdf5-103-1 libopenblas0-pthread zlib1g \
    && rm -rf /var/lib/apt/lists/*
COPY --from=built /opt/geotherm /usr/local
WORKDIR /data
ENTRYPOINT ["geotherm"]
CMD ["--help"]
