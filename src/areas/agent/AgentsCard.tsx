import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import type { AgentKey } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { formatDistance, formatShortDate } from '../../lib/dates/dates.ts';
import { pluralize } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import { Card, CardBody, CardRow } from '../../ui/layout/Card.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { formatClientHost } from './model/client-host.ts';
import { agentKeysQuery, agentSettingsQuery, formatAllowedTypes, useSchemaNames } from './model/queries.ts';
import type { SchemaNames } from './model/queries.ts';
import { isLasting, usePauseKey } from './model/use-pause.ts';
import { useRevokeKey } from './model/use-revoke.ts';
import './panels/agent.css';

const NewKeyPanel = lazyWithPreload(() => import('./panels/NewKeyPanel.tsx'));

/** Card of the profile with the agents that read for the user; nothing for users who may have none. */
export function AgentsCard() {
  const { capabilities } = useSession();
  return capabilities.includes('Use Agent Server') ? <Agents /> : null;
}

function Agents() {
  const { user, site } = useSession();
  const { data: settings, error: settingsError } = useQuery(agentSettingsQuery);
  const { data: keys, error: keysError } = useQuery(agentKeysQuery);
  const error = keysError ?? settingsError;
  const create = usePermission('createAgentKey');
  const names = useSchemaNames();
  const revoke = useRevokeKey();
  const { pause, getReason } = usePauseKey();
  const [isAdding, setIsAdding] = useState(false);
  const own = keys?.filter(({ userId, state }) => userId === user.id && isLasting({ state }));
  const unlicensed =
    settings?.isLicensed === false ? `${site.name} has no license for the agent server` : undefined;
  return (
    <Card
      title={`Agents that read ${site.name} for you`}
      actions={
        <Button
          size="small"
          disabledReason={
            create.reason ?? unlicensed ?? (settings ? undefined : 'The settings are not loaded')
          }
          onPointerEnter={NewKeyPanel.preload}
          onClick={() => setIsAdding(true)}
        >
          New agent key…
        </Button>
      }
    >
      {error && (
        <CardBody>
          <FailureBanner failure={toServiceError(error)} />
        </CardBody>
      )}
      {own?.length === 0 && (
        <CardBody>
          {unlicensed ??
            'None. With a key, an AI agent reads what you may read, and nothing else. Each call is recorded.'}
        </CardBody>
      )}
      {own?.map((key) => (
        <CardRow
          key={key.id}
          title={key.name}
          description={describeKey(key, names)}
          action={
            <span className="agent-actions">
              <Button
                size="small"
                aria-label={`${key.state === 'Paused' ? 'Resume' : 'Pause'} ${key.name}`}
                disabledReason={getReason(key)}
                onClick={() => pause(key, key.state !== 'Paused')}
              >
                {key.state === 'Paused' ? 'Resume' : 'Pause'}
              </Button>
              <Button
                size="small"
                aria-label={`${key.clientId === null ? 'Revoke' : 'Disconnect'} ${key.name}`}
                onClick={() => void revoke(key)}
              >
                {key.clientId === null ? 'Revoke…' : 'Disconnect…'}
              </Button>
            </span>
          }
        />
      ))}
      {isAdding && settings && (
        <Suspense>
          <NewKeyPanel settings={settings} isOwn onClose={() => setIsAdding(false)} />
        </Suspense>
      )}
    </Card>
  );
}

function describeKey(key: AgentKey, names: SchemaNames): string {
  const used =
    key.lastUsedDate === null
      ? 'never used'
      : `last used ${formatShortDate(key.lastUsedDate)}, ${pluralize(key.callsToday, 'call', 'calls')} today`;
  const client = key.clientId === null ? '' : `connected client of ${formatClientHost(key.clientId)}; `;
  const paused = key.state === 'Paused' ? 'paused; ' : '';
  return `${paused}${client}${formatAllowedTypes(key.entryTypeIds, names)}; ends ${formatDistance(key.expiresDate)}; ${used}`;
}
