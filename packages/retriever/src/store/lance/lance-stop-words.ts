/**
 * Frequent English words, and the parts of `don't` and `I'll`. LanceDB's own list includes other languages, so that
 * `war`, `sea`, `care`, `face` and `3` would not be found.
 */
export const stopWords: readonly string[] =
  `a about above after again against also am an and any are as at be because been before being below between both but by
  can could did do does doing down during each few for from further had has have having he her here hers herself him
  himself his how i if in into is it its itself just me more most my myself no nor not now of off on once only or other
  our ours ourselves out over own same she should so some such than that the their theirs them themselves then there
  these they this those through to too under until up very was we were what when where which while who whom why will
  with would you your yours yourself yourselves al et
  s t d m ll ve re isn aren wasn weren hasn haven hadn doesn don didn won wouldn shan shouldn couldn mustn`.split(/\s+/)
