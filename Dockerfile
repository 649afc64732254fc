# Pollux alone in a container: a static program, certificates to check others by, and nothing else. See docs/DEPLOY.md.
FROM rust:1.95-bookworm AS build
WORKDIR /src
COPY . .
# With a target triple the flags reach the program and not the build scripts. A static program cannot look a function of
# libc up by its name, so randomness is asked for directly; else it would need /dev/random.
ENV RUSTFLAGS="-C target-feature=+crt-static --cfg getrandom_backend=\"linux_getrandom\""
RUN cargo build --profile dist --locked -p pollux-cli --target "$(rustc -vV | sed -n 's/^host: //p')" \
    && mkdir -p /root-of-image/data /root-of-image/work /root-of-image/etc/ssl/certs /root-of-image/tmp \
    && cp target/*/dist/pollux /root-of-image/pollux \
    && cp /etc/ssl/certs/ca-certificates.crt /root-of-image/etc/ssl/certs/ \
    && chown -R 65532:65532 /root-of-image/data /root-of-image/work /root-of-image/tmp

FROM scratch
COPY --from=build /root-of-image /
USER 65532:65532
ENV HOME=/data CODER_AGENT_WORKSPACE_PATH=/work
WORKDIR /work
VOLUME ["/data", "/work"]
EXPOSE 41242
HEALTHCHECK --interval=30s --timeout=10s --start-period=10s CMD ["/pollux", "health"]
ENTRYPOINT ["/pollux"]
# A bind beyond loopback needs a token, in CODER_AGENT_TOKEN or by --token-file, and a proxy that speaks TLS, whose name for
# this server CODER_AGENT_ALLOWED_HOSTS holds.
CMD ["serve", "--host", "0.0.0.0", "--tls-in-front"]
