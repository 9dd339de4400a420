import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Ban, Bot, Eye, KeyRound, Plug, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import type { AgentClient } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import {
  agentClientsQuery,
  agentKeysQuery,
  agentSettingsQuery,
  formatAllowedTypes,
  useSchemaNames,
} from '../model/queries.ts';
import { useRevokeKey } from '../model/use-revoke.ts';
import { getLicenseReason } from './AgentFrame.tsx';
import { GuidanceCard } from './GuidanceCard.tsx';
import { CLIENT_COLUMNS, KEY_COLUMNS } from './key-columns.tsx';
import type { KeyRow } from './key-columns.tsx';
import '../panels/agent.css';

const getKeyId = ({ id }: KeyRow) => id;
const getKeyLabel = ({ name }: KeyRow) => name;
const getClientId = ({ keyId, name, version }: AgentClient) => `${keyId} ${name} ${version}`;
const getClientLabel = ({ name, keyName }: AgentClient) => `${name} of ${keyName}`;

/** Agent keys with their last use, the clients that used them, the address, and guidance. */
export function KeysPage() {
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  return (
    <>
      <KeysTable />
      <div className="agent-columns">
        <ClientsTable />
        <aside className="agent-side" aria-label="About agents">
          <Card title="Address for clients">
            <CardBody>
              <div className="agent-address">
                <code>{settings.address}</code>
                <CopyButton value={settings.address} label="Copy address" />
              </div>
            </CardBody>
            <Facts>
              <Fact label="Protocol">Model Context Protocol {settings.protocolVersions[0]}</Fact>
              <Fact label="Access">Read only, {settings.tools.length} tools</Fact>
            </Facts>
          </Card>
          <GuidanceCard />
        </aside>
      </div>
      <Outlet />
    </>
  );
}

function KeysTable() {
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  const { data, error, isFetching, refetch } = useQuery(agentKeysQuery);
  const names = useSchemaNames();
  const rows = useMemo(
    () => data?.map((key): KeyRow => ({ ...key, allowedTypes: formatAllowedTypes(key.entryTypeIds, names) })),
    [data, names],
  );
  const rowMenu = useKeyMenu();
  const create = usePermission('createAgentKey');
  const router = useRouter();
  return (
    <DataTable
      label="Keys"
      columns={KEY_COLUMNS}
      rows={rows}
      rowId={getKeyId}
      rowLabel={getKeyLabel}
      rowMenu={rowMenu}
      error={error === null ? undefined : toServiceError(error)}
      onRetry={() => void refetch()}
      refetching={isFetching && data === undefined}
      empty={
        <EmptyState
          icon={Bot}
          title="No agent can read this site yet"
          actions={
            <Button
              icon={KeyRound}
              disabledReason={create.reason ?? getLicenseReason(settings)}
              onClick={() => void router.navigate({ to: '/agent/new' })}
            >
              New key
            </Button>
          }
        >
          A key lets one agent read for one person, within the entry types and the time you set. Every call is
          recorded in the ledger.
        </EmptyState>
      }
    />
  );
}

function useKeyMenu(): (row: KeyRow) => MenuItems {
  const router = useRouter();
  const revoke = useRevokeKey();
  const preview = usePermission('previewAgentCall');
  return (row) => [
    {
      label: 'Show the calls',
      icon: ScrollText,
      onSelect: () => void router.navigate({ to: '/agent/ledger', search: { agent: row.id, days: 90 } }),
    },
    {
      label: 'Preview what it gets',
      icon: Eye,
      disabledReason: preview.reason ?? (row.state === 'Active' ? undefined : 'The key has ended'),
      onSelect: () => void router.navigate({ to: '/agent/preview', search: { agent: row.id } }),
    },
    'line',
    {
      label: 'Revoke…',
      icon: Ban,
      danger: true,
      disabledReason: row.state === 'Active' ? undefined : 'The key has ended',
      onSelect: () => void revoke(row),
    },
  ];
}

/** Client programs of the last 30 days. */
function ClientsTable() {
  const { data, error, isFetching, refetch } = useQuery(agentClientsQuery);
  return (
    <section className="agent-section" aria-label="Connected clients">
      <h2>Connected clients</h2>
      <DataTable
        label="Clients"
        columns={CLIENT_COLUMNS}
        rows={data}
        rowId={getClientId}
        rowLabel={getClientLabel}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && data === undefined}
        empty={
          <EmptyState icon={Plug} title="No client in the last 30 days">
            Programs that call with a key are listed here under the name they state. Revoke the key to
            disconnect them.
          </EmptyState>
        }
      />
    </section>
  );
}
