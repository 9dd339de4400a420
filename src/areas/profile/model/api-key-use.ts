import type { Scope } from '../../../../contract/generated/types.gen.ts';

/** Lines that a program or a shell needs to use a new API key. */
export interface ApiKeyUse {
  /** Where the key is exchanged for an access token. */
  tokenUrl: string;
  /** Variables of the environment, as a `.env` file holds them; the only place with the secret. */
  env: string;
  /** Shell commands that read the variables: issue a token, and make a first call with it. */
  commands: readonly string[];
}

/** A read that each scope allows, for the first call. */
const FIRST_CALLS: Record<Scope, string> = {
  user_management: '/api/rest/v1/management/user?pageNumber=1&pageSize=10',
  data: '/api/rest/v4/schema/entrytypes',
  backup: '/api/rest/v4/backups',
  publish: '/api/rest/v1/publication/topics',
  ri_import: '/api/rest/v4/ri/import/status',
};

/** Describes how a new key is used with the service at `origin`, with a call that its first scope allows. */
export function describeApiKeyUse(
  origin: string,
  { clientId, clientSecret, scopes }: { clientId: number; clientSecret: string; scopes: readonly Scope[] },
): ApiKeyUse {
  const [scope = 'data'] = scopes;
  const tokenUrl = `${origin}/api/rest/v1/oauth/token`;
  return {
    tokenUrl,
    env: `STEWARD_URL=${origin}\nSTEWARD_CLIENT_ID=${clientId}\nSTEWARD_CLIENT_SECRET=${clientSecret}\n`,
    commands: [
      `curl -s -u "$STEWARD_CLIENT_ID:$STEWARD_CLIENT_SECRET" -d grant_type=client_credentials ${tokenUrl}`,
      `curl -s -H "Authorization: Bearer $TOKEN" "${origin}${FIRST_CALLS[scope]}"`,
    ],
  };
}
