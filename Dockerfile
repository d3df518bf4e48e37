# The page is built with Node, the wheel with Python; the final image has neither compilers nor sources.
FROM node:22-slim AS page
WORKDIR /source/web
COPY web/package.json web/package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY web ./
RUN mkdir -p /source/src/moot/web && npm run build

FROM python:3.13-slim AS wheel
WORKDIR /source
COPY pyproject.toml hatch_build.py README.md LICENSE ./
COPY src ./src
COPY --from=page /source/src/moot/web/static ./src/moot/web/static
COPY deploy/requirements.txt ./
RUN pip wheel --no-cache-dir --wheel-dir /wheels --require-hashes -r requirements.txt \
    && pip wheel --no-cache-dir --wheel-dir /wheels --no-deps .

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /data --shell /usr/sbin/nologin moot \
    && install --directory --owner=moot --group=moot --mode=0700 /data
COPY --from=wheel /wheels /wheels
# There is only one wheel, so it needs no version.
# hadolint ignore=DL3013
RUN pip install --no-cache-dir --no-index --find-links /wheels 'moot[oidc]' && rm -r /wheels
USER 10001
WORKDIR /data
ENV MOOT_HOST=0.0.0.0 MOOT_PORT=8765 XDG_DATA_HOME=/data XDG_CONFIG_HOME=/data
VOLUME /data
EXPOSE 8765
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8765/readyz', timeout=4)"]
CMD ["moot", "serve"]
