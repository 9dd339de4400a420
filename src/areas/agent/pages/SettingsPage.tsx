import { useSuspenseQuery } from '@tanstack/react-query';
import { usePermission, useSession } from '../../../api/session.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { SwitchRow } from '../../../ui/form/Toggle.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardRow, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { agentSettingsQuery } from '../model/queries.ts';
import { useStopAgents, useSwitch } from '../model/use-switch.ts';
import { getLicenseReason } from './AgentFrame.tsx';
import { ForbiddenCard } from './ForbiddenCard.tsx';
import { GuidanceCard } from './GuidanceCard.tsx';
import '../panels/agent.css';

/** License, switch, limits and tools of the agent server. */
export function AgentSettingsPage() {
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  const { limits, tools, protocolVersions } = settings;
  const { reason, stop } = useStopAgents(settings);
  return (
    <div className="agent-columns">
      <div className="agent-main">
        <SwitchCard />
        <ForbiddenCard />
        <Card title="Tools">
          <ul className="agent-tools">
            {tools.map(({ name, title, description }) => (
              <li key={name}>
                <span>
                  <b>{title}</b> <code>{name}</code>
                </span>
                <p>{description}</p>
              </li>
            ))}
          </ul>
        </Card>
        <Card title="Stop">
          <CardRow
            title="Stop all agents"
            description="Revokes every key for good, disconnects every client and turns the agent server off. Running calls end."
            action={
              <Button variant="danger" disabledReason={reason} onClick={() => void stop()}>
                Stop all agents…
              </Button>
            }
          />
        </Card>
      </div>
      <aside className="agent-side" aria-label="About the agent server">
        <Card title="Limits">
          <Facts>
            <Fact label="A key">
              {formatNumber(limits.callsPerMinute)} calls and {formatNumber(limits.rowsPerMinute)} rows a
              minute
            </Fact>
            <Fact label="All keys">{formatNumber(limits.siteCallsPerMinute)} calls a minute</Fact>
            <Fact label="A result">
              {formatSize(limits.resultBytes)}, {formatNumber(limits.rowsPerResult)} rows
            </Fact>
            <Fact label="Keys">
              End after at most {formatNumber(limits.keyDays)} days, {formatNumber(limits.keysPerPerson)} a
              person
            </Fact>
            <Fact label="Ledger">Kept for {formatNumber(limits.ledgerDays)} days</Fact>
            <Fact label="Protocol">{protocolVersions.join(', ')}</Fact>
          </Facts>
        </Card>
        <GuidanceCard />
      </aside>
    </div>
  );
}

const NO_IDS: readonly number[] = [];

function SwitchCard() {
  const { data: settings } = useSuspenseQuery(agentSettingsQuery);
  const { site } = useSession();
  const { turn, reason, isPending } = useSwitch();
  const { isLicensed, isEnabled, changedDate, changedBy } = settings;
  const { allowed } = usePermission('searchUsers');
  const people = usePeopleById(changedBy === null || !allowed ? NO_IDS : [changedBy]);
  const by = changedBy === null ? '' : ` by ${people.get(changedBy)?.name ?? `user ${changedBy}`}`;
  return (
    <Card
      title={`Agent server of ${site.name}`}
      actions={isLicensed ? <Badge tone="ok">Licensed</Badge> : <Badge>No license</Badge>}
    >
      <SwitchRow
        label="Allow agents"
        hint={
          changedDate === null
            ? 'Agents with an active key may read. When off, every call is refused immediately; keys are kept.'
            : `${isEnabled ? 'On' : 'Off'} since ${formatExactDate(changedDate)}, changed${by}.`
        }
        checked={isEnabled}
        disabledReason={
          reason ?? getLicenseReason(settings) ?? (isPending ? 'The change is being saved' : undefined)
        }
        onChange={turn}
      />
    </Card>
  );
}
