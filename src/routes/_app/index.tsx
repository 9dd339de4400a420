import { createFileRoute, Link } from '@tanstack/react-router';
import { capabilities } from '../../../contract/rules/capabilities.ts';
import { hasAnyCapability, useSession } from '../../api/session.ts';
import { openOverlay } from '../../app/state/overlay.ts';
import { GroupsCard, LicensesCard, PeopleCard } from '../../areas/overview/counts.tsx';
import { buttonClass } from '../../ui/button/button-class.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card, CardRow, Fact, Facts } from '../../ui/layout/Card.tsx';
import { Page } from '../../ui/layout/Page.tsx';
import '../../areas/overview/overview.css';

export const Route = createFileRoute('/_app/')({
  staticData: { title: 'Overview' },
  component: OverviewPage,
});

function OverviewPage() {
  const session = useSession();
  const { site } = session;
  const heldCapabilities = capabilities.filter(({ name }) => hasAnyCapability(session, [name]));
  return (
    <Page
      title={site.name}
      meta="Overview"
      actions={
        <>
          <Button onClick={() => openOverlay('palette')}>Find a user</Button>
          <Link to="/$area" params={{ area: 'users' }} className={buttonClass({ variant: 'primary' })}>
            Go to users
          </Link>
        </>
      }
    >
      <div className="overview">
        <PeopleCard />
        <LicensesCard />
        <GroupsCard />
        <Card title="This site">
          <Facts>
            <Fact label="Signs in with">
              {site.identityMode === 'password' ? 'A password' : 'An identity manager'}
            </Fact>
            <Fact label="Time zone">{site.timeZone}</Fact>
            <Fact label="Schema version">{site.schemaVersion}</Fact>
          </Facts>
        </Card>
      </div>
      <Card title="Your permissions">
        {heldCapabilities.map(({ name, description: sentence }) => (
          <CardRow key={name} title={name} description={sentence} />
        ))}
        {heldCapabilities.length === 0 && (
          <CardRow
            title="No capabilities"
            description="None of your groups grants a capability on this site."
          />
        )}
      </Card>
    </Page>
  );
}
