//! Reads the notation our grammars are written in, and says whether a text fits: llama.cpp's part in the tests.

use std::collections::{BTreeSet, HashMap};

/// A grammar that can be asked.
pub(super) struct Grammar {
    rules: HashMap<String, Node>,
}

#[derive(Debug)]
enum Node {
    Literal(Vec<char>),
    Class { ranges: Vec<(char, char)>, negated: bool },
    Rule(String),
    Sequence(Vec<Node>),
    Choice(Vec<Node>),
    Repeat { node: Box<Node>, least: usize, most: usize },
}

impl Grammar {
    pub(super) fn parse(text: &str) -> Grammar {
        let rules = text.lines().map(|line| {
            let (name, body) = line.split_once(" ::= ").expect("a rule");
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'), "llama.cpp has no such names: {name}");
            let mut parser = Parser { text: body.chars().collect(), at: 0 };
            let node = parser.choice();
            assert_eq!(parser.at, parser.text.len(), "left over in {line}");
            (name.to_owned(), node)
        });
        let listed: Vec<(String, Node)> = rules.collect();
        let count = listed.len();
        let rules: HashMap<String, Node> = listed.into_iter().collect();
        assert_eq!(rules.len(), count, "a rule is defined twice");
        Grammar { rules }
    }

    pub(super) fn accepts(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        self.ends(&Node::Rule("root".to_owned()), &text, 0).contains(&text.len())
    }

    /// Where `node` may end when it begins at `at`.
    fn ends(&self, node: &Node, text: &[char], at: usize) -> BTreeSet<usize> {
        match node {
            Node::Literal(wanted) => {
                if text[at..].starts_with(wanted) {
                    BTreeSet::from([at + wanted.len()])
                } else {
                    BTreeSet::new()
                }
            }
            Node::Class { ranges, negated } => match text.get(at) {
                Some(c) if ranges.iter().any(|(low, high)| (low..=high).contains(&c)) != *negated => {
                    BTreeSet::from([at + 1])
                }
                _ => BTreeSet::new(),
            },
            Node::Rule(name) => self.ends(self.rules.get(name).expect(name), text, at),
            Node::Sequence(nodes) => nodes.iter().fold(BTreeSet::from([at]), |starts, node| {
                starts.into_iter().flat_map(|start| self.ends(node, text, start)).collect()
            }),
            Node::Choice(nodes) => nodes.iter().flat_map(|node| self.ends(node, text, at)).collect(),
            Node::Repeat { node, least, most } => {
                let mut found = BTreeSet::new();
                let mut frontier = BTreeSet::from([at]);
                for count in 0..=*most {
                    if count >= *least {
                        let before = found.len();
                        found.extend(frontier.iter().copied());
                        if found.len() == before {
                            break;
                        }
                    }
                    frontier = frontier.into_iter().flat_map(|start| self.ends(node, text, start)).collect();
                    if frontier.is_empty() {
                        break;
                    }
                }
                found
            }
        }
    }
}

struct Parser {
    text: Vec<char>,
    at: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> char {
        self.at += 1;
        self.text[self.at - 1]
    }

    fn blanks(&mut self) {
        while self.peek() == Some(' ') {
            self.at += 1;
        }
    }

    fn choice(&mut self) -> Node {
        let mut nodes = vec![self.sequence()];
        while self.peek() == Some('|') {
            self.at += 1;
            nodes.push(self.sequence());
        }
        Node::Choice(nodes)
    }

    fn sequence(&mut self) -> Node {
        let mut nodes = Vec::new();
        loop {
            self.blanks();
            match self.peek() {
                None | Some('|' | ')') => return Node::Sequence(nodes),
                Some(_) => {
                    let node = self.item();
                    nodes.push(self.repeated(node));
                }
            }
        }
    }

    fn item(&mut self) -> Node {
        match self.next() {
            '"' => {
                let mut text = Vec::new();
                while self.peek() != Some('"') {
                    text.push(self.character());
                }
                self.at += 1;
                Node::Literal(text)
            }
            '[' => {
                let negated = self.peek() == Some('^');
                self.at += usize::from(negated);
                let mut ranges = Vec::new();
                while self.peek() != Some(']') {
                    let low = self.character();
                    let is_range = self.peek() == Some('-');
                    self.at += usize::from(is_range);
                    ranges.push((low, if is_range { self.character() } else { low }));
                }
                self.at += 1;
                Node::Class { ranges, negated }
            }
            '(' => {
                let node = self.choice();
                assert_eq!(self.next(), ')');
                node
            }
            first => {
                let mut name = String::from(first);
                while let Some(c) = self.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '-') {
                    name.push(c);
                    self.at += 1;
                }
                Node::Rule(name)
            }
        }
    }

    fn character(&mut self) -> char {
        match self.next() {
            '\\' => match self.next() {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'x' => {
                    let digits: String = [self.next(), self.next()].iter().collect();
                    char::from(u8::from_str_radix(&digits, 16).expect("two digits"))
                }
                c => c,
            },
            c => c,
        }
    }

    fn repeated(&mut self, node: Node) -> Node {
        let (least, most) = match self.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, usize::MAX),
            Some('+') => (1, usize::MAX),
            Some('{') => {
                let end = self.at + self.text[self.at..].iter().position(|c| *c == '}').expect("a closing brace");
                let inside: String = self.text[self.at + 1..end].iter().collect();
                let (least, most) = inside.split_once(',').expect("two bounds");
                self.at = end;
                (least.parse().expect("a bound"), most.parse().expect("a bound"))
            }
            _ => return node,
        };
        self.at += 1;
        Node::Repeat { node: Box::new(node), least, most }
    }
}
