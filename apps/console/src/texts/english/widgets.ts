export const widgets = { title: 'Widgets', create: 'Create widget' };
