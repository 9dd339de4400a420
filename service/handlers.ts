import { linkHandlers } from './gateway/links.ts';
import { actingHandlers } from './gateway/acting.ts';
import { identityHandlers } from './gateway/identity.ts';
import { presenceHandlers } from './gateway/presence.ts';
import { secondFactorHandlers } from './gateway/second-factor.ts';
import { sessionHandlers } from './gateway/session.ts';
import type { Handlers, OperationId } from './kernel/http/handler.ts';
import { coverageHandlers, ownAccessHandlers, userAccessHandlers } from './areas/access/index.ts';
import { activityHandlers } from './areas/activity/index.ts';
import { backupHandlers } from './areas/backups/index.ts';
import { addressHandlers } from './areas/addresses/index.ts';
import {
  entryFileHandlers,
  entryPastHandlers,
  entryReadHandlers,
  entryWriteHandlers,
} from './areas/entries/index.ts';
import { groupHandlers } from './areas/groups/index.ts';
import { invitationHandlers } from './areas/invitations/index.ts';
import { licenseHandlers } from './areas/licenses/index.ts';
import type { NotBuilt } from './areas/not-built.ts';
import { platformHandlers } from './areas/platform/index.ts';
import { proxyHandlers } from './areas/proxies/index.ts';
import { schemaHandlers } from './areas/schema/index.ts';
import { siteHandlers } from './areas/sites/index.ts';
import { tokenHandlers } from './areas/tokens/index.ts';
import { userHandlers } from './areas/users/index.ts';
import { viewHandlers } from './areas/views/index.ts';

/** Every operation of the contract that is built; one that is neither here nor in the list of unbuilt ones is a type error. */
export const handlers: Handlers<Exclude<OperationId, NotBuilt>> = {
  ...userHandlers,
  ...licenseHandlers,
  ...groupHandlers,
  ...activityHandlers,
  ...backupHandlers,
  ...invitationHandlers,
  ...entryFileHandlers,
  ...entryPastHandlers,
  ...entryReadHandlers,
  ...entryWriteHandlers,
  ...schemaHandlers,
  ...viewHandlers,
  ...addressHandlers,
  ...siteHandlers,
  ...platformHandlers,
  ...identityHandlers,
  ...tokenHandlers,
  ...proxyHandlers,
  ...sessionHandlers,
  ...secondFactorHandlers,
  ...presenceHandlers,
  ...ownAccessHandlers,
  ...userAccessHandlers,
  ...coverageHandlers,
  ...actingHandlers,
  ...linkHandlers,
};
