import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { IdentityCard } from './-IdentityCard.tsx';
import { SiteCard } from './-SiteCard.tsx';
import { siteQuery } from './-site-query.ts';
import './-sites.css';

const route = getRouteApi('/_app/sites/$siteId');

/** One site: what only those who run the platform set. */
export function SitePage() {
  const { siteId } = route.useParams();
  const { data } = useSuspenseQuery(siteQuery(siteId)).data;
  return (
    <Page
      breadcrumbs={<Trail />}
      title={data.name}
      meta={`${data.slug}, ${counted(data.members, 'active user', 'active users')}, ${counted(data.administrators, 'administrator', 'administrators')}`}
    >
      <div className="sites-cards">
        <SiteCard siteId={siteId} />
        <IdentityCard siteId={siteId} />
      </div>
    </Page>
  );
}
