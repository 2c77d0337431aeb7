declare const AGENTMUX_VERSION: string | undefined;

/** The version of this build; `0.0.0` where the sources run unbuilt. */
export const VERSION: string = typeof AGENTMUX_VERSION === 'string' ? AGENTMUX_VERSION : '0.0.0';
