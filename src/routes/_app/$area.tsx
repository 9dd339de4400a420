import { createFileRoute, notFound } from '@tanstack/react-router';
import { AREAS } from '../../app/shell/areas.ts';
import { NotBuiltPage } from '../../app/shell/NotBuiltPage.tsx';
import { UNBUILT } from '../../app/shell/unbuilt.ts';

export const Route = createFileRoute('/_app/$area')({
  loader: ({ params: { area: id } }) => {
    const area = UNBUILT[id];
    const place = AREAS.find(({ path }) => path === `/${id}`);
    if (!area || !place) throw notFound();
    return { title: place.name, area };
  },
  component: UnbuiltRoute,
});

function UnbuiltRoute() {
  const { title, area } = Route.useLoaderData();
  return <NotBuiltPage name={title} area={area} />;
}
