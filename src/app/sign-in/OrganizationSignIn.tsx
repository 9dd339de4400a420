import { ExternalLink } from 'lucide-react';
import { buttonClass } from '../../ui/button/button-class.ts';

/** Signs in through the identity manager of a site in a tab of its own; this page goes on when that one arrives. */
export function OrganizationSignIn({ slug }: { slug: string }) {
  return (
    <a
      className={buttonClass({ variant: 'primary' })}
      href={`/sign-in/identity?site=${encodeURIComponent(slug)}`}
      target="_blank"
      rel="noopener"
    >
      <ExternalLink />
      Sign in through your organization
    </a>
  );
}
