#include "embed_options.hpp"

#include "help.hpp"

namespace geotherm::cli {

void add_embed_options(CLI::App& command, EmbedOptions& options) {
  add_input_path(command, options.input, false);
  command
      .add_option("-o,--output", options.output,
                  "The map: .csv .tsv (id,x1,x2,...; also .gz), .npy, .npz (key\n"
                  "embedding), .mtx, .fcs, .h5ad (obsm['X_<method>'] in a copy).\n"
                  "Empty: INPUT_<method>.csv here")
      ->type_name("FILE")
      ->group("Basic");
  add_method_options(command, options.method, MethodUse::map);
  add_input_options(command, options.reading);
  command
      .add_option("--view", options.views,
                  "Another table of the same rows (multimodal data; may be repeated):\n"
                  "weighted nearest neighbours over all tables. Also parts of an .h5ad\n"
                  "(obsm:NAME) or modalities of an .h5mu, by name")
      ->type_name("WHAT")
      ->expected(1)
      ->take_all()
      ->group(advanced("Input"));
  command
      .add_option("--categorical", options.reading.categorical,
                  "Categorical columns of a text table (auto: all that are not numeric):\n"
                  "rows are compared by Gower's distance")
      ->type_name("NAMES")
      ->delimiter(',')
      ->group(advanced("Input"));
  command.add_flag("--inplace", options.is_inplace, "Add the map to the input, an .h5ad")
      ->group(advanced("Output"));
  command
      .add_option("--counts", options.counts,
                  "--preprocess single-cell: also write the kept cells and genes as 10x\n"
                  "does, to a file FILE.h5 or a new folder")
      ->type_name("PATH")
      ->group(advanced("Output"));
  command.add_option("--plot", options.plot, "Also draw the map, as .svg or .png")
      ->type_name("FILE");
  command
      .add_option("--model", options.model,
                  "Also write the model for 'geotherm transform', as .gtm")
      ->type_name("FILE");
  command
      .add_option("--keep", options.keep,
                  "With --model: labels to store for 'transform --transfer NAME':\n"
                  "columns of obs, of the table, of --annotations, arrays beside it,\n"
                  "or cluster")
      ->type_name("NAMES")
      ->delimiter(',')
      ->group(advanced("Output"));
  command
      .add_option("--bootstrap", options.n_bootstrap,
                  "Also embed B subsamples of 80 % of the rows and report how far points\n"
                  "and groups move: OUTPUT_spread.csv and the manifest")
      ->type_name("B");
  command
      .add_option("--manifest", options.manifest,
                  "Also write options, choices and results of the run, as .json")
      ->type_name("FILE");
  command
      .add_flag("--removed", options.keeps_removed,
                "Also write the share of each point's edges that were removed as\n"
                "shortcuts, to OUTPUT_removed.csv (.npz and .h5ad always have it)")
      ->group(advanced("Output"));
  command.add_flag("--show", options.is_shown, "Also draw the map in the terminal");
  command.add_flag("--json", options.prints_json, "Print the manifest on stdout")
      ->group(advanced("Output"));
  command.add_option("--html", options.html, "Also write an interactive page, as .html")
      ->type_name("FILE");
  command.add_flag("--estimate", options.estimate, "Only estimate memory and time");
  group_the_rest(command, "Output");
  add_cluster_options(command, options.clusters);
  command
      .add_option("--compare", options.compare,
                  "Further methods to show side by side, each with the options that it\n"
                  "reads: phate,umap,tsne")
      ->type_name("NAMES")
      ->delimiter(',')
      ->transform(known_method())
      ->group("Page (--html)");
  add_page_options(command, options.page, "Page (--html)");
  add_run_options(command, options.run);
  add_checkpoint_options(command, options.checkpoint);
  command.footer(
      "Examples:\n"
      "  geotherm embed cells.csv -o map.csv --plot map.svg\n"
      "  geotherm embed cells.h5ad --html map.html --compare phate,umap,tsne\n"
      "  geotherm embed cells.h5ad --use obsm:X_scVI -o with_map.h5ad\n"
      "  geotherm embed filtered_matrix/ --preprocess single-cell -o cells.h5ad\n"
      "  geotherm embed data.npz:X -o map.npy --method phate --knn 5 --manifest run.json\n");
}

}  // namespace geotherm::cli
