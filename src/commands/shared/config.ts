import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import { type Config, readConfig } from '../../state/config.ts';

/** What the configuration depends on. */
export type ConfigContext = Pick<Context, 'env'> & { readonly platform: Pick<Context['platform'], 'os'> };

/** The configuration of the user. Throws AgentmuxError for one that cannot be used: it may say what must not be ended. */
export function loadConfig({ env, platform }: ConfigContext): Config {
  const result = readConfig({ env, os: platform.os });
  if (result.status === 'ok') return result.config;
  throw new AgentmuxError('failed', `the configuration "${result.path}" cannot be used: ${result.detail}`, {
    code: 'bad-config',
    hint: 'correct it, or export AGENTMUX_CONFIG= to do without',
  });
}
