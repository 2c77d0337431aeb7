import { loadFfi } from '../load-ffi.ts';

/**
 * Gives the terminals on our descriptors 0 to 2 the settings that they had when this process started, as Node does at
 * a normal exit (node.cc, ResetStdio: it saved them before any line of ours ran, and blocks SIGTTOU around it). False if
 * this Node does not offer its function by name: then only a normal exit restores them.
 */
export function restoreTerminalNow(): boolean {
  try {
    const { open, load, DataType } = loadFfi();
    open({ library, path: '' });
    load({ library, funcName: resetStdio, retType: DataType.Void, paramsType: [], paramsValue: [] });
    return true;
  } catch {
    return false;
  }
}

const library = 'self';
/** `node::ResetStdio()`, mangled. */
const resetStdio = '_ZN4node10ResetStdioEv';
