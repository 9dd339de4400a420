import { Building2, ChevronsUpDown } from 'lucide-react';
import { switchSiteMutation } from '../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../api/session.ts';
import { useWrite } from '../api/write.ts';
import { toast } from '../ui/feedback/toast.ts';
import { MenuButton } from '../ui/menu/MenuButton.tsx';
import { startOnSite } from './session.ts';
import { mayLeave } from './unsaved.ts';

/** The site this session works on; a menu where there is another one to go to. */
export function SiteSwitcher() {
  const { site, sites, isFederated } = useSession();
  const allowed = useAllowed('switchSite');
  const reason = isFederated
    ? 'Your organization opened this site alone: sign in there yourself'
    : allowed.reason;
  const move = useWrite('switchSite', switchSiteMutation());

  const go = async (siteId: number) => {
    if (!(await mayLeave())) return;
    move.mutate(
      { body: { siteId } },
      {
        onSuccess: startOnSite,
        onError: ({ message }) =>
          toast({ tone: 'bad', title: 'The site was not switched', description: message }),
      },
    );
  };

  const name = (
    <span className="top-site">
      <span className="top-site-name">{site.name}</span> <span className="top-site-slug">{site.slug}</span>
    </span>
  );
  if (sites.length < 2) return name;
  const items = sites.map(({ id, name: label, slug, role }) => ({
    label,
    hint: role ? `${slug}, ${role}` : slug,
    icon: Building2,
    disabledReason: id === site.id ? 'You are on this site' : reason,
    onSelect: () => void go(id),
  }));
  return (
    <MenuButton label={`${site.name} ${site.slug}, switch site`} items={items} align="start" variant="quiet">
      {name}
      <ChevronsUpDown />
    </MenuButton>
  );
}
