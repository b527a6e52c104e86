"""``python -m geotherm.distributed embed INPUT -o map.zarr``: a table in blocks to a map, on a cluster or on this machine."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import sys
from collections.abc import Sequence


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m geotherm.distributed", description=__doc__.split(":", 1)[1].strip())
    commands = parser.add_subparsers(dest="command", required=True)
    embed = commands.add_parser("embed", help="make the map of a table")
    embed.add_argument("input", nargs="+", help="a Zarr array, .h5ad, .npy, .parquet, .arrow or .feather files, or a folder of shards")
    embed.add_argument("-o", "--output", required=True, help="the map: .zarr (chunked), .npy or .csv")
    embed.add_argument("--scheduler", help="address of a Dask scheduler, tcp://HOST:8786; without one, a local cluster")
    embed.add_argument("--tls-ca", help="with tls://: the authority's certificate (Dask's own security)")
    embed.add_argument("--tls-cert", help="with tls://: the client's certificate")
    embed.add_argument("--tls-key", help="with tls://: the client's key")
    embed.add_argument("--workers", type=int, help="local cluster: worker processes")
    embed.add_argument("--memory-limit", default="auto", help="local cluster: memory of each worker, such as 4GB")
    embed.add_argument("--model", help="also write the model, for geotherm transform")
    embed.add_argument("--manifest", help="also write what was decided, as JSON")
    embed.add_argument("--use-rep", help="AnnData: a key of obsm, or X")
    embed.add_argument("--seed", type=int, default=0, help="the same seed gives the same bits (0)")
    embed.add_argument("--knn", type=int, help="neighbours of each point (10)")
    embed.add_argument("--pca", help="auto, none or a number of components (auto)")
    embed.add_argument("--n-components", type=int, default=2, help="columns of the map (2)")
    embed.add_argument("--landmarks", type=int, help="landmarks (4 sqrt(rows), from 2,000 to 8,000)")
    embed.add_argument("--refine", help="auto, off or EPOCHS; auto: where --balance is given (auto)")
    embed.add_argument("--balance", type=float, help="aim of the refinement: 0 preserves geodesics, 1 favours neighbours")
    embed.add_argument("--model-rows", type=int, default=50_000, help="rows that the model keeps (50000)")
    embed.add_argument("--block-rows", type=int, help="rows that a task reads at once (64 MB)")
    embed.add_argument("--partition-rows", type=int, help="rows of a partition (250000)")
    embed.add_argument("--quiet", action="store_true", help="no progress")
    return parser


def _write(embedding, path: str) -> None:
    import dask.array as da
    import numpy as np

    if path.endswith(".zarr"):
        rows = max(1, min(len(embedding), 1 << 20))
        # Absolute: it is workers who write, and they may have been started in another folder.
        da.to_zarr(embedding.rechunk((rows, embedding.shape[1])), os.path.abspath(path), overwrite=True)
    elif path.endswith(".npy"):
        out = np.lib.format.open_memmap(path, mode="w+", dtype=np.float64, shape=embedding.shape)
        start = 0
        for block in embedding.partitions:
            values = block.compute()
            out[start : start + len(values)] = values
            start += len(values)
        out.flush()
    else:
        np.savetxt(path, embedding.compute(), delimiter=",", fmt="%.9g", header="x,y", comments="")


def embed(arguments: argparse.Namespace) -> None:
    import distributed

    from . import HeatGeo

    if not arguments.output.endswith((".zarr", ".npy", ".csv")):
        raise SystemExit(f"error: {arguments.output}: a map is written as .zarr, .npy or .csv")
    options = {"knn": arguments.knn, "landmarks": arguments.landmarks, "balance": arguments.balance}
    options = {name: value for name, value in options.items() if value is not None}
    if arguments.pca is not None:
        options["pca"] = int(arguments.pca) if arguments.pca.isdigit() else arguments.pca
    if arguments.refine is not None:
        options["refine"] = int(arguments.refine) if arguments.refine.isdigit() else arguments.refine
    model = HeatGeo(
        n_components=arguments.n_components,
        random_state=arguments.seed,
        model_rows=arguments.model_rows,
        block_rows=arguments.block_rows,
        partition_rows=arguments.partition_rows,
        verbose=not arguments.quiet,
        **options,
    )
    table = arguments.input[0] if len(arguments.input) == 1 else arguments.input
    if arguments.scheduler:
        security = None
        if arguments.scheduler.startswith("tls://"):
            security = distributed.Security(
                tls_ca_file=arguments.tls_ca,
                tls_client_cert=arguments.tls_cert,
                tls_client_key=arguments.tls_key,
                require_encryption=True,
            )
        client = distributed.Client(arguments.scheduler, security=security, timeout="30s")
        cluster = None
    else:
        cluster = distributed.LocalCluster(
            n_workers=arguments.workers, memory_limit=arguments.memory_limit, dashboard_address=":0"
        )
        client = distributed.Client(cluster)
    try:
        model.fit(table, client=client, use_rep=arguments.use_rep)
        _write(model.embedding_, arguments.output)
        if arguments.model:
            model.save(arguments.model)
        if arguments.manifest:
            from .._model import manifest_of

            pathlib.Path(arguments.manifest).write_text(json.dumps(manifest_of(model.report_), indent=2) + "\n")
    finally:
        client.close()
        if cluster is not None:
            cluster.close()
    resolved = model.report_["resolved"]
    print(
        f"{arguments.output}: {model.report_['n_samples']} rows, {int(resolved['landmarks'])} landmarks, "
        f"{int(resolved['n_partitions'])} partitions, neighbour recall {resolved['neighbor_recall']:.3f}, "
        f"{model.report_['seconds']:.1f} s",
        file=sys.stderr,
    )


def main(argv: Sequence[str] | None = None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        embed(arguments)
    except (ValueError, TypeError, KeyError, OSError, RuntimeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
