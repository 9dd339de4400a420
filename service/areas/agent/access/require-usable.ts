import { forbidden, unauthorized } from '../../../kernel/api-error.ts';
import {
  describeRefusedAddress,
  LICENSE_REFUSAL,
  requireCapabilities,
} from '../../../kernel/auth/authorize.ts';
import type { AgentRow } from './agents.store.ts';
import type { AgentSite } from './settings.store.ts';

const INVALID = 'The agent key or access token is invalid, revoked or expired';

/** @throws ApiError 403 for a site without the license */
export function requireLicensed({ isLicensed }: Pick<AgentSite, 'isLicensed'>): void {
  if (!isLicensed) throw forbidden('This site has no license for the agent server');
}

/** @throws ApiError 403 for a site without the license, or whose switch is off */
export function requireServed(site: Pick<AgentSite, 'isLicensed' | 'isEnabled'>): void {
  requireLicensed(site);
  if (!site.isEnabled) throw forbidden('The agent server is switched off on this site');
}

/** @throws ApiError 401 for a credential that is not valid, 403 for one that may not be used */
export function requireUsable(agent: AgentRow | undefined, ip: string): asserts agent is AgentRow {
  if (!agent?.isValid) throw unauthorized(INVALID);
  if (agent.lacksLicense) throw forbidden(LICENSE_REFUSAL);
  if (!agent.canAct) throw unauthorized(INVALID);
  requireServed(agent);
  if (agent.isPaused) throw forbidden('This agent is paused: its person, or an administrator, can resume it');
  requireCapabilities({ capabilities: new Set(agent.capabilities) }, ['Use Agent Server']);
  // An agent learns no names of people.
  if (agent.isAddressRefused) throw forbidden(describeRefusedAddress(ip, []));
}
