/** One metric: its values by their labels. */
export type Metric = {
  name: string
  type: 'counter' | 'gauge'
  /** A sentence. */
  help: string
  values: readonly MetricValue[]
}

export type MetricValue = { labels?: Readonly<Record<string, string>>; value: number }

/** The media type of {@link metricsText}. */
export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

/** Metrics in the text format 0.0.4 of Prometheus. One without values is left out. */
export function metricsText(metrics: readonly Metric[]): string {
  return metrics
    .filter(({ values }) => values.length > 0)
    .map(({ name, type, help, values }) => {
      const lines = values.map(({ labels, value }) => `${name}${labelText(labels)} ${value}`)
      return [`# HELP ${name} ${help.replace(/[\\\n]/g, escaped)}`, `# TYPE ${name} ${type}`, ...lines, ''].join('\n')
    })
    .join('')
}

function labelText(labels: Readonly<Record<string, string>> = {}): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${text.replace(/[\\\n"]/g, escaped)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(character: string): string {
  return character === '\n' ? '\\n' : `\\${character}`
}
