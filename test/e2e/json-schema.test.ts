import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { compileSchema, findFaults, withoutEachField } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** Holds a document to its schema, and the schema to the document: no field can go missing unseen. */
function expectDocument(name: string, document: unknown): void {
  const validate = compileSchema(name);
  expect(findFaults(validate, document)).toEqual([]);
  const unseen = withoutEachField(document).filter((without) => validate(without.document));
  expect(unseen.map(({ path }) => path)).toEqual([]);
}

/** A block with a server, an orphan, zombies and a torn neighbour, so that every part of a document has something in it. */
async function startRichBlock(rig: Rig): Promise<void> {
  const { agent } = await startBlock(rig, 'b1');
  await agent.startTool('python3 -m http.server 0 --bind 127.0.0.1 & sleep 601 & wait');
  await agent.startTool(
    'python3 -c "import os,time\nfor i in range(3):\n  if os.fork()==0: os._exit(0)\ntime.sleep(602)"; true',
  );
  writeFileSync(join(rig.stateDirectory, 'blocks', 'torn.json'), '{');
  await waitFor('all of it', async () => {
    const { stdout } = await rig.agentmux('ps', '--json').stdout(/./).stderr(/torn/).run();
    return stdout.includes('"port"') && stdout.includes('"count": 3');
  });
}

describe('the JSON documents', () => {
  it.each([
    ['blocks', ['blocks', '--json']],
    ['ps', ['ps', '--json', '--all']],
    ['tree', ['tree', '--json', '--all']],
    ['doctor', ['doctor', '--json']],
  ])('%s is what its schema says', async (name, args) => {
    const rig = createRig({ tracker: 'scan' });
    await startRichBlock(rig);
    const { stdout } = await rig
      .agentmux(...args)
      .stdout(/./)
      .stderr(/[\s\S]*/)
      .run();
    expectDocument(name, JSON.parse(stdout));
  });

  it('blocks, ps and tree of an ended block and of none are what their schemas say', async () => {
    const rig = createRig();
    for (const name of ['blocks', 'ps', 'tree']) expectDocument(name, await readJson(rig, name, '--json'));
    await rig.run('--block', 'b1', 'true').run();
    await rig.run('--block', 't1', '--terminal', 'true').run();
    expectDocument('blocks', await readJson(rig, 'blocks', '--json', '--all'));
    expectDocument('ps', await readJson(rig, 'ps', '--json', '--block', 'b1'));
    expectDocument('tree', await readJson(rig, 'tree', '--json', '--block', 'b1'));
  });

  it('a dry run is what its schema says', async () => {
    const rig = createRig({ tracker: 'scan' });
    expectDocument('run-dry-run', await rig.run('--dry-run', '--json', 'true').json());
  });

  it('the error of a dry run is what its schema says, and has the exit code of the run', async () => {
    const rig = createRig({ tracker: 'scan' });
    const { stdout } = await rig
      .run('--dry-run', '--json', 'no-such-command')
      .stdout(anything)
      .stderr('agentmux-run: command "no-such-command" was not found on PATH\n')
      .status(127)
      .run();
    const document: unknown = JSON.parse(stdout);
    expectDocument('error', document);
    expect(document).toMatchObject({ error: { exitCode: 127 } });
    const unknown = await rig
      .run('--dry-run', '--json', '--nope', 'true')
      .stdout(anything)
      .stderr(/^agentmux-run: unknown option '--nope'\n/)
      .status(125)
      .run();
    expectDocument('error', JSON.parse(unknown.stdout));
  });

  it.each([
    ['an unknown option', ['ps', '--json', '--nope'], 2],
    ['an unknown command', ['nope', '--json'], 2],
    ['a bad filter', ['ps', '--json', '--filter', 'x'], 2],
    ['an unknown block', ['tree', '--json', '--block', 'nope'], 3],
    ['an unknown block to blocks', ['blocks', '--format=json', '--block', 'nope'], 3],
    ['a kill of what was never a member', ['kill', '--json', '1'], undefined],
    ['a kill-tree without a block', ['kill-tree', '--json'], 3],
    ['a wait without a block', ['wait', '--json', '--block', 'nope'], 3],
    ['a bad age to prune', ['prune', '--json', '--nope'], 2],
  ] as const)('the error of %s is what its schema says', async (_what, args, status) => {
    const result = await createRig()
      .agentmux(...args)
      .start()
      .ended();
    const document = JSON.parse(result.stdout) as { readonly error: { readonly exitCode: number } };
    expectDocument('error', document);
    expect(result.status).toBe(document.error.exitCode);
    if (status !== undefined) expect(result.status).toBe(status);
    expect(result.stderr).toMatch(/^error: /);
  });

  it('the schemas allow no field that they do not name, and demand every one that they do', () => {
    for (const name of readdirSync('schema')) {
      const visit = (node: unknown, path: string): void => {
        if (typeof node !== 'object' || node === null) return;
        const { properties, required, additionalProperties } = node as Record<string, unknown>;
        if (properties !== undefined) {
          expect(additionalProperties, path).toBe(false);
          const named = Object.keys((properties ?? {}) as object).sort();
          expect([...((required as string[] | undefined) ?? [])].sort(), path).toEqual(named);
        }
        for (const [key, value] of Object.entries(node)) visit(value, `${path}/${key}`);
      };
      visit(JSON.parse(readFileSync(join('schema', name), 'utf8')), name);
    }
  });
});

const readJson = (rig: Rig, ...args: string[]): Promise<unknown> =>
  rig
    .agentmux(...args)
    .stderr(/[\s\S]*/)
    .json();
