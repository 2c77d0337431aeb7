import { agy } from './agy.ts';
import { claude } from './claude.ts';
import { codex } from './codex.ts';
import { gemini } from './gemini.ts';
import { kimi } from './kimi.ts';
import { opencode } from './opencode.ts';
import type { AgentProfile } from './profile.ts';
import { qwen } from './qwen.ts';

/** Every profile; the first that matches a process is its profile. */
export const profiles: readonly AgentProfile[] = [claude, codex, gemini, opencode, qwen, kimi, agy];

/** The profile of that id, as block records carry it. */
export function findProfile(id: string | undefined): AgentProfile | undefined {
  return profiles.find((profile) => profile.id === id);
}

/** The profile with a command of that name, as baseName gives it. */
export function findProfileByName(name: string): AgentProfile | undefined {
  return profiles.find((profile) => profile.commands.includes(name));
}
