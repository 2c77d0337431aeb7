#!/usr/bin/env node
// The main job from end to end, with a sample agent: run it, see what it started, end that, and look whether it is
// gone. Every step says what is promised and checks it; exits 1 if anything is not as promised. `npm run demo`
import { openStage } from './demo/stage.mjs';

const stage = openStage();
const { say, show, check } = stage;

try {
  await play();
} catch (error) {
  check(`the demo itself went wrong: ${error.message}`, false);
} finally {
  await stage.close();
}
stage.finish();

async function play() {
  say('An agent runs inside a block. This one starts an MCP server, a dev server, and things that try to get away.');
  const agent = stage.start('agentmux-run', '--block', 'demo', '--', './sample-agent.mjs');
  await agent.seen('tool calls done');
  show('agentmux', 'blocks');
  const block = stage.read('blocks', '--json').blocks?.[0] ?? {};
  check('the block runs', block.status === 'running');

  say('What did it start? Not the MCP server: that is the agent itself. But all of this:');
  // The shells of the tool calls end at their own time.
  await stage.until(() => startedProcesses().length === 6);
  show('agentmux', 'ps');
  const started = startedProcesses();
  const devServer = find(started, 'dev-server.mjs');
  const [port] = devServer?.listeners?.map((listener) => listener.port) ?? [];
  check('the dev server is listed, with its port', port > 0);
  check('what was started by nohup is listed', find(started, 'sleep 601') !== undefined);
  check('what was started by setsid is listed', find(started, 'sleep 602') !== undefined);
  check('a daemon without parent, session and environment is listed', find(started, 'sleep 603') !== undefined);
  check('the running tool call is listed', find(started, 'sleep 604') !== undefined);
  check('nothing else is', started.length === 6);

  say('The whole tree, the plumbing of the agent included:');
  show('agentmux', 'tree', '--all');
  const all = stage.read('ps', '--all', '--json').rows;
  check('the agent is there, as the root', find(all, 'sample-agent.mjs')?.role === 'root');
  check('its MCP server is there, as plumbing', find(all, 'mcp-server.mjs')?.role === 'plumbing');

  say(`Something holds port ${port}. End that, and nothing else:`);
  show('agentmux', 'kill', '--block', 'demo', `:${port}`);
  check('the dev server has gone', devServer !== undefined && !stage.isAlive(devServer));
  check('the agent runs on', agent.isRunning());

  say('Enough. End the block, agent and all:');
  show('agentmux', 'kill-tree', '--block', 'demo', '--grace', '2');
  const survivors = all.filter((row) => stage.isAlive(row));
  check(`none of its ${all.length} processes lives, looked up in /proc`, survivors.length === 0);
  await agent.ended();
  check('agentmux-run ended with its agent', !agent.isRunning());
  show('agentmux', 'ps');
  check('nothing is listed', stage.read('ps', '--json').rows.length === 0);

  say('Another agent ends by itself. What it would leave behind is ended with it, since --leftovers=kill says so:');
  const status = show('agentmux-run', '--block', 'again', '--leftovers', 'kill', '--', './sample-agent.mjs', '--once');
  check('the exit code is that of the agent', status === 0);
  check('nothing is left', stage.read('ps', '--json').rows.length === 0);
}

function startedProcesses() {
  return stage.read('ps', '--json').rows.map(stage.remember);
}

function find(rows, part) {
  return rows.find((row) => row.command?.includes(part) && !row.command.startsWith('bash'));
}
