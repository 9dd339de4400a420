import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { KeyRound, Plug, Power } from 'lucide-react';
import { useState } from 'react';
import type { AgentSettings } from '../../../../contract/generated/types.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { agentSettingsQuery } from '../model/queries.ts';
import { useStopAgents, useSwitch } from '../model/use-switch.ts';
import { SetUpPanel } from '../panels/SetUpPanel.tsx';
import '../panels/agent.css';

const REFRESH_MS = 15_000;

/** Frame of the pages of the agent server: its state, what is done at any time, and the tabs. */
export function AgentFrame() {
  const { data: settings } = useSuspenseQuery({ ...agentSettingsQuery, refetchInterval: REFRESH_MS });
  const { site } = useSession();
  const preview = usePermission('previewAgentCall');
  const [isSettingUp, setIsSettingUp] = useState(false);
  const { activeKeys, callsLastDay, agentsLastDay } = settings;
  return (
    <Page
      title="Agent server"
      badge={<StateBadge settings={settings} />}
      meta={`${pluralize(callsLastDay, 'call', 'calls')} by ${pluralize(agentsLastDay, 'agent', 'agents')} in 24 hours`}
      actions={<Actions settings={settings} onSetUp={() => setIsSettingUp(true)} />}
    >
      <TabLinks label="Agent server">
        <Link to="/agent" activeOptions={{ exact: true }}>
          Keys <small className="num">{formatNumber(activeKeys)}</small>
        </Link>
        <Link to="/agent/ledger" activeOptions={{ includeSearch: false }}>
          Ledger
        </Link>
        <Link to="/agent/seen" activeOptions={{ includeSearch: false }}>
          Fields read
        </Link>
        {preview.allowed && (
          <Link to="/agent/preview" activeOptions={{ includeSearch: false }}>
            Preview as a person
          </Link>
        )}
        <Link to="/agent/settings">Settings</Link>
      </TabLinks>
      <div className="agent">
        <StateBanner settings={settings} />
        <Outlet />
      </div>
      {isSettingUp && (
        <SetUpPanel address={settings.address} site={site.slug} onClose={() => setIsSettingUp(false)} />
      )}
    </Page>
  );
}

function StateBadge({ settings: { isLicensed, isEnabled } }: { settings: AgentSettings }) {
  if (!isLicensed) return <Badge>No license</Badge>;
  return isEnabled ? <Badge tone="ok">On, read only</Badge> : <Badge tone="warn">Off</Badge>;
}

function Actions({ settings, onSetUp }: { settings: AgentSettings; onSetUp: () => void }) {
  const router = useRouter();
  const create = usePermission('createAgentKey');
  const { reason, stop } = useStopAgents(settings);
  return (
    <>
      <Button icon={Plug} onClick={onSetUp}>
        Set up a client
      </Button>
      <Button
        icon={KeyRound}
        variant="primary"
        disabledReason={create.reason ?? getLicenseReason(settings)}
        onClick={() => void router.navigate({ to: '/agent/new' })}
      >
        New key
      </Button>
      <span className="agent-stop">
        <Button icon={Power} disabledReason={reason} onClick={() => void stop()}>
          Stop all agents
        </Button>
      </span>
    </>
  );
}

/** Why no key can be made: the license of the site is off. */
export const getLicenseReason = ({ isLicensed }: Pick<AgentSettings, 'isLicensed'>): string | undefined =>
  isLicensed ? undefined : 'The site has no license for the agent server';

/** Says why agents are refused: the license or the switch is off. */
function StateBanner({ settings }: { settings: AgentSettings }) {
  const { isLicensed, isEnabled } = settings;
  const { turn, reason, isPending } = useSwitch();
  if (!isLicensed)
    return (
      <Banner tone="info" title="This site has no license for the agent server">
        Every call of an agent is refused and no key can be made. An administrator of the platform turns the
        license on in Sites. Keys, and the ledger of the last {settings.limits.ledgerDays} days, stay as they
        are.
      </Banner>
    );
  if (isEnabled) return null;
  return (
    <Banner
      tone="warn"
      title="The agent server is off"
      actions={
        <Button size="small" pending={isPending} disabledReason={reason} onClick={() => turn(true)}>
          Turn on
        </Button>
      }
    >
      Every call is refused. Active keys work again as soon as it is on.
    </Banner>
  );
}
