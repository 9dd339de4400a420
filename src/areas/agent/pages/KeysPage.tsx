import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useRouter } from '@tanstack/react-router';
import { Ban, Bot, Eye, KeyRound, Pause, Play, Plug, ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import type { AgentClient, AgentKey } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { useRequestedAction } from '../../../app/state/requested-action.ts';
import { ListTable } from '../../../app/views/ListTable.tsx';
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
import { isLasting, usePauseKey } from '../model/use-pause.ts';
import { useRevokeKey } from '../model/use-revoke.ts';
import { getLicenseReason } from './AgentFrame.tsx';
import { GuidanceCard } from './GuidanceCard.tsx';
import { CLIENT_COLUMNS, CONNECTION_COLUMNS, KEY_COLUMNS } from './key-columns.tsx';
import type { KeyRow } from './key-columns.tsx';
import '../panels/agent.css';

const getKeyId = ({ id }: KeyRow) => id;
const getKeyLabel = ({ name }: KeyRow) => name;
const getClientId = ({ keyId, name, version }: AgentClient) => `${keyId} ${name} ${version}`;
const getClientLabel = ({ name, keyName }: AgentClient) => `${name} of ${keyName}`;

/** Agent keys and connected clients with their last use, the programs that called, the address, and guidance. */
export function KeysPage() {
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  useRequestedKeyActions();
  return (
    <>
      <KeysTable />
      <div className="agent-columns">
        <div className="agent-main">
          <ConnectionsTable />
          <ClientsTable />
        </div>
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

/** Carries out what the palette requests for one key. */
function useRequestedKeyActions(): void {
  const { data } = useQuery(agentKeysQuery);
  const revoke = useRevokeKey();
  const { pause } = usePauseKey();
  const on = (run: (key: AgentKey) => void) =>
    data && ((id: number) => data.filter((key) => key.id === id).forEach(run));
  useRequestedAction(
    'pauseAgentKey',
    on((key) => pause(key, true)),
  );
  useRequestedAction(
    'revokeAgentKey',
    on((key) => void revoke(key)),
  );
}

/** Keys, or connected clients, as rows; undefined until they are loaded. */
function useKeyRows(isRow: (key: AgentKey) => boolean) {
  const query = useQuery(agentKeysQuery);
  const { data, error, isFetching, refetch } = query;
  const names = useSchemaNames();
  const rows = useMemo(
    () =>
      data
        ?.filter(isRow)
        .map((key): KeyRow => ({ ...key, allowedTypes: formatAllowedTypes(key.entryTypeIds, names) })),
    [data, names, isRow],
  );
  return {
    rows,
    rowId: getKeyId,
    rowLabel: getKeyLabel,
    error: error === null ? undefined : toServiceError(error),
    onRetry: () => void refetch(),
    refetching: isFetching && data === undefined,
    footer: <QueryAge query={query} />,
  };
}

const hasSecret = ({ clientId }: AgentKey): boolean => clientId === null;
const isClient = ({ clientId }: AgentKey): boolean => clientId !== null;

function KeysTable() {
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  const table = useKeyRows(hasSecret);
  const rowMenu = useKeyMenu();
  const create = usePermission('createAgentKey');
  const router = useRouter();
  return (
    <ListTable
      table="agentKeys"
      label="Keys"
      columns={KEY_COLUMNS}
      rowMenu={rowMenu}
      {...table}
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

/** Clients that persons have connected by themselves. */
function ConnectionsTable() {
  const table = useKeyRows(isClient);
  const rowMenu = useKeyMenu();
  return (
    <section className="agent-section" aria-label="Connected clients">
      <h2>Connected clients</h2>
      <DataTable
        label="Connected clients"
        columns={CONNECTION_COLUMNS}
        rowMenu={rowMenu}
        {...table}
        empty={
          <EmptyState icon={Plug} title="No client is connected">
            Give the address to a client that can sign in by itself. It opens a page here on which you decide
            what it may read.
          </EmptyState>
        }
      />
    </section>
  );
}

function useKeyMenu(): (row: KeyRow) => MenuItems {
  const router = useRouter();
  const revoke = useRevokeKey();
  const { pause, getReason } = usePauseKey();
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
      disabledReason: preview.reason ?? getEndReason(row),
      onSelect: () => void router.navigate({ to: '/agent/preview', search: { agent: row.id } }),
    },
    'line',
    row.state === 'Paused'
      ? {
          label: 'Resume',
          icon: Play,
          disabledReason: getReason(row),
          onSelect: () => pause(row, false),
        }
      : {
          label: 'Pause',
          icon: Pause,
          disabledReason: getEndReason(row),
          onSelect: () => pause(row, true),
        },
    {
      label: isClient(row) ? 'Disconnect…' : 'Revoke…',
      icon: Ban,
      danger: true,
      disabledReason: getEndReason(row),
      onSelect: () => void revoke(row),
    },
  ];
}

const getEndReason = (row: KeyRow): string | undefined => {
  if (isLasting(row)) return undefined;
  return isClient(row) ? 'The connection has ended' : 'The key has ended';
};

/** Client programs of the last 30 days. */
function ClientsTable() {
  const query = useQuery(agentClientsQuery);
  const { data, error, isFetching, refetch } = query;
  return (
    <section className="agent-section" aria-label="Programs that called">
      <h2>Programs that called</h2>
      <DataTable
        label="Programs"
        columns={CLIENT_COLUMNS}
        rows={data}
        rowId={getClientId}
        rowLabel={getClientLabel}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && data === undefined}
        footer={<QueryAge query={query} />}
        empty={
          <EmptyState icon={Plug} title="No call in the last 30 days">
            Programs are listed here under the name they state. Revoke their key to stop them.
          </EmptyState>
        }
      />
    </section>
  );
}
