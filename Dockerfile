# Both commands of README on a bare machine: docker build -t starling . && docker run --rm starling
# With --privileged the gain is shown on an emulated cluster, and the tests of it run; else a simulated one shows it.
FROM debian:bookworm
COPY . /starling
WORKDIR /starling
CMD ["bash", "-c", "tools/quickstart && tools/check"]
