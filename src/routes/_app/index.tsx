import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/')({ staticData: { title: 'Overview' }, component: () => null });
