import { ExternalLink } from 'lucide-react';
import { buttonClass } from '../../ui/button/button-class.ts';

/** Link that signs in through the identity manager in another tab; this page continues when that sign-in succeeds. */
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
