/** Set-up text of a client, to be copied into its configuration. */
export interface ClientSetUp {
  client: string;
  /** Where the text belongs: a file, or a terminal. */
  place: string;
  text: string;
  /** How the client gets the key. */
  note: string;
}

/** Environment variable that holds the key, so that no configuration file contains it. */
export const KEY_VARIABLE = 'STEWARD_AGENT_KEY';

const toJson = (value: unknown): string => JSON.stringify(value, undefined, 2);

const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });

const FROM_VARIABLE = `Set ${KEY_VARIABLE} to the key before the client starts.`;

/**
 * Set-up texts of common clients of the Model Context Protocol. None contains a key: VS Code asks for it, the others read it from
 * an environment variable.
 * @param address absolute URL of the agent server
 * @param site short name of the site, so that a client can connect to several
 */
export function buildSetUps(address: string, site: string): readonly ClientSetUp[] {
  const name = `steward-${site}`;
  return [
    {
      client: 'Claude Code',
      place: 'Terminal',
      text: `claude mcp add --transport http ${name} ${address} \\\n  --header "Authorization: Bearer $${KEY_VARIABLE}"`,
      note: `The shell inserts ${KEY_VARIABLE}; Claude Code stores the key in its own configuration.`,
    },
    {
      client: 'Codex',
      place: '~/.codex/config.toml',
      text: `[mcp_servers.${name}]\nurl = "${address}"\nbearer_token_env_var = "${KEY_VARIABLE}"`,
      note: FROM_VARIABLE,
    },
    {
      client: 'Cursor',
      place: '~/.cursor/mcp.json',
      text: toJson({
        mcpServers: { [name]: { url: address, headers: bearer(`\${env:${KEY_VARIABLE}}`) } },
      }),
      note: FROM_VARIABLE,
    },
    {
      client: 'Gemini CLI',
      place: '~/.gemini/settings.json',
      text: toJson({
        mcpServers: { [name]: { httpUrl: address, headers: bearer(`$${KEY_VARIABLE}`) } },
      }),
      note: FROM_VARIABLE,
    },
    {
      client: 'VS Code',
      place: '.vscode/mcp.json',
      text: toJson({
        inputs: [{ type: 'promptString', id: 'steward-key', description: 'Agent key', password: true }],
        servers: { [name]: { type: 'http', url: address, headers: bearer('${input:steward-key}') } },
      }),
      note: 'VS Code asks for the key when it first connects and stores it encrypted.',
    },
    {
      client: 'Inspector',
      place: 'Terminal',
      text: `npx @modelcontextprotocol/inspector --cli ${address} --transport http \\\n  --header "Authorization: Bearer $${KEY_VARIABLE}" --method tools/list`,
      note: `Lists the tools once, to check address and key. The shell inserts ${KEY_VARIABLE}.`,
    },
  ];
}
