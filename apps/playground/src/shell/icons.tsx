const paths = {
  send: 'M12 19V5M6 11l6-6 6 6',
  stop: 'M7 7h10v10H7z',
  attach: 'M20 11.5 12 19a5 5 0 0 1-7-7l8.5-8.5a3.3 3.3 0 0 1 4.7 4.7L9.7 16.7a1.6 1.6 0 0 1-2.3-2.3L15 7',
  menu: 'M4 7h16M4 12h16M4 17h16',
  plus: 'M12 5v14M5 12h14',
  close: 'M6 6l12 12M18 6 6 18',
  copy: 'M9 9h10v10H9zM5 15V5h10',
  retry: 'M4 12a8 8 0 1 0 2.5-5.8M4 4v4h4',
  edit: 'M4 20h4L19 9l-4-4L4 16z',
  trash: 'M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13',
  share: 'M12 15V4M8 8l4-4 4 4M5 12v8h14v-8',
  bug: 'M8 9a4 4 0 0 1 8 0v6a4 4 0 0 1-8 0zM12 9v10M4 8l4 2M20 8l-4 2M4 19l4-3M20 19l-4-3M3 13h5M16 13h5',
  file: 'M7 3h7l5 5v13H7zM14 3v5h5',
  command:
    'M9 9H6.5a2.5 2.5 0 1 1 2.5-2.5v11a2.5 2.5 0 1 1-2.5-2.5h11a2.5 2.5 0 1 1-2.5 2.5v-11a2.5 2.5 0 1 1 2.5 2.5z',
  down: 'M12 5v14M6 13l6 6 6-6',
} as const

/** A drawing beside a name; it has none of its own. */
export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
