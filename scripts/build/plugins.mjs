/**
 * commander loads node:child_process, and with it node:net and streams, for subcommands that are programs of their own.
 * There are none, and a start is cheaper without it.
 */
export const commanderWithoutChildProcess = {
  name: 'commander-without-child-process',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      /[\\/]commander[\\/]lib[\\/]/.test(importer) ? { path, namespace: 'nothing' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: 'module.exports = {}', loader: 'js' }));
  },
};
