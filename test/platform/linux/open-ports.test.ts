import { once } from 'node:events';
import { createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLinuxPlatform } from '../../../src/platform/linux/linux-platform.ts';
import { hasNamespaces, namespaceReason } from '../../helpers/namespace.ts';
import { startProcess } from '../../helpers/processes.ts';
import { hasPython, isRoot, itIf } from '../../helpers/skip.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const platform = createLinuxPlatform();
const SERVE =
  'import socket,time\ns=socket.socket(); s.bind(("127.0.0.1",0)); s.listen()\nprint(s.getsockname()[1],flush=True)\n';

async function listen(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return address.port;
}

const find = (port: number) => platform.readOpenPorts().filter((socket) => socket.port === port);

describe('readOpenPorts', () => {
  it('names the holder and the user of a socket, whoever asks', async () => {
    const port = await listen();
    const expected = { protocol: 'tcp', address: '127.0.0.1', port, uid: process.geteuid?.(), otherNamespace: false };
    expect(find(port)).toEqual([{ ...expected, pids: [process.pid] }]);
  });

  itIf(hasPython, 'needs python3', 'tells a socket once with all that hold it', async () => {
    const { child, pid } = startProcess('python3', ['-c', `${SERVE}import os\nos.fork()\ntime.sleep(300)`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
    const holders = await waitFor('both', () => find(Number(line))[0]?.pids.length === 2 && find(Number(line)));
    expect(holders).toHaveLength(1);
    expect(holders[0]?.pids).toContain(pid);
  });

  itIf(
    hasNamespaces && isRoot && hasPython,
    namespaceReason,
    'marks what listens in another network namespace',
    async () => {
      const script = `${SERVE}time.sleep(300)`;
      const { child } = startProcess('unshare', ['-n', 'sh', '-c', 'ip link set lo up; exec python3 -c "$0"', script], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [line] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
      expect(find(Number(line))).toMatchObject([{ otherNamespace: true }]);
    },
  );
});
