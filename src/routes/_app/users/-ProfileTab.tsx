import { getRouteApi } from '@tanstack/react-router';
import { useTaggedUser } from './-use-user.ts';
import { AccessCard } from './-AccessCard.tsx';
import { ProfileCard } from './-ProfileCard.tsx';
import { ProfileForm } from './-ProfileForm.tsx';
import { LeaveCard } from './-LeaveCard.tsx';
import { SecurityCards } from './-SecurityCards.tsx';
import { SignInCard } from './-SignInCard.tsx';

const route = getRouteApi('/_app/users/$userId/');

/** Who the user is, how they get in, and whether they can. The address says whether the profile is edited. */
export function ProfileTab() {
  const tagged = useTaggedUser();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  // Back leads to where one came from, not into and out of the form.
  const open = () => navigate({ search: { edit: true }, replace: true });
  const close = () => navigate({ search: {}, replace: true, ignoreBlocker: true });
  return (
    <div className="user-cols">
      <div className="user-main">
        {edit ? <ProfileForm start={tagged} onClose={close} /> : <ProfileCard onEdit={() => void open()} />}
        <AccessCard />
        <SecurityCards />
        <LeaveCard />
      </div>
      <div className="user-side">
        <SignInCard />
      </div>
    </div>
  );
}
