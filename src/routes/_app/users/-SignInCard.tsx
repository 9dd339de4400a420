import { Check, CircleHelp, X } from 'lucide-react';
import { useSession } from '../../../api/session.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { signInChecks } from './-sign-in-checks.ts';
import { useLicense, useUser } from './-use-user.ts';

const MARKS = { yes: Check, no: X, unknown: CircleHelp };
const SPOKEN = { yes: 'Yes:', no: 'No:', unknown: 'Not known:' };

/** What stands between the user and this site, as far as the interface tells. */
export function SignInCard() {
  const user = useUser();
  const license = useLicense();
  const { site } = useSession();
  return (
    <Card title={`Can ${user.firstName} sign in?`}>
      <ul className="user-checks">
        {signInChecks(user, license, site.identityMode).map(({ answer, title, detail }) => {
          const Mark = MARKS[answer];
          return (
            <li key={title} className={`user-check user-check-${answer}`}>
              <Mark />
              <span>
                <span className="visually-hidden">{SPOKEN[answer]} </span>
                {title}
              </span>
              <p>{detail}</p>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}
