import { createFileRoute, notFound } from '@tanstack/react-router';
import { registry } from '../../app/registry.ts';
import { NotBuiltPage } from '../../app/shell/NotBuiltPage.tsx';

export const Route = createFileRoute('/_app/$area')({
  loader: ({ params }) => {
    const entry = registry.entries.find(({ path }) => path === `/${params.area}`);
    if (!entry?.notBuilt) throw notFound();
    return { title: entry.name, area: entry.notBuilt };
  },
  component: NotBuiltRoute,
});

function NotBuiltRoute() {
  const { title, area } = Route.useLoaderData();
  return <NotBuiltPage name={title} area={area} />;
}
