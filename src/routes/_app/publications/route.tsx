import { createFileRoute } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/publications')({ staticData: { title: 'Publications' } });
