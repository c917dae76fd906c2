# One static binary on a base without a shell, as a user without rights.
#   docker build -t waxwing .
#   docker run -p 127.0.0.1:7845:7845 -v waxwing:/data -v /srv/music:/music:ro -e WAXWING_MUSIC=/music waxwing
# It answers to localhost and 127.0.0.1 at port 7845. By another name or port: -e WAXWING_CATALOG_HOST=music.example.net,localhost:8080
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=0.1.0-dev
RUN CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=${VERSION}" -o /waxwing . && mkdir -p /empty/data /empty/music

FROM gcr.io/distroless/static-debian12:nonroot
COPY --from=build /waxwing /usr/bin/waxwing
COPY --from=build --chown=nonroot:nonroot /empty/ /
ENV WAXWING_DATA_DIR=/data \
    WAXWING_CATALOG_ADDR=0.0.0.0:7845 \
    WAXWING_CATALOG_HOST=localhost,127.0.0.1,[::1] \
    WAXWING_METRICS_ADDR=0.0.0.0:7846 \
    WAXWING_DRAIN=2s
VOLUME /data
EXPOSE 7845 7846
USER nonroot
STOPSIGNAL SIGTERM
# /ready at port 7846 is for the platform's own probe; this is for an engine that has none.
HEALTHCHECK --interval=10s --timeout=3s CMD ["/usr/bin/waxwing", "ready"]
ENTRYPOINT ["/usr/bin/waxwing"]
CMD ["catalog"]
