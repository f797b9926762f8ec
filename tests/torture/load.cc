// A client for server_months.py: it sends requests as fast as the server answers, and checks every answer. Other
// connections stall. model.h defines the right answers.
//
//   load --port N --token T --model FILE [--seed N] [--requests N] [--seconds N] [--least-seconds N]
//        [--connections N] [--depth N] [--stalling N] [--no-index] [--no-library] [--no-writes] [--crowds] [--faulty]
//        [--full] [--drops]
//   load --model FILE --create PAIRS,SOLOS     makes the model of an empty server
//   load --model FILE --fill                   prints the documents of the index, as JSON lines
//   load --renumber MANIFEST GENERATION SEGMENT
//
// Prints its counts as one line of JSON. Exit code 1: an answer was wrong, or a connection ended that should not have.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include "questions.h"
#include "renumber.h"

namespace months {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostComplaints = 20;
constexpr std::chrono::milliseconds kTick{20};
constexpr std::chrono::seconds kLate{1};
constexpr std::chrono::seconds kIdleLimit{60};  // for a connection that receives nothing

int connect_to(int port, int receive_buffer) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd < 0) throw std::runtime_error("socket: too many open files?");
  if (receive_buffer != 0) ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  const int yes = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 && errno != EINPROGRESS) {
    ::close(fd);
    return -1;
  }
  return fd;
}

struct Counts {
  std::map<string, Number> answered;  // by name of the question
  std::map<int, Number> statuses;
  std::map<string, Number> stalled;  // by what happened to the client
  Number requests = 0;
  Number errors = 0;      // expected error answers
  Number overloaded = 0;  // a queue was full because many clients stall
  Number dropped = 0;
  Number wrong = 0;

  void complain(const string& what) {
    if (++wrong <= kMostComplaints) std::cerr << "load: " << what << std::endl;
  }
};

class Loop;

// One connection, of either kind.
class Link {
 public:
  Link(Loop& loop, int receive_buffer) : loop_(loop), receive_buffer_(receive_buffer) {}
  virtual ~Link() { close(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  virtual void open();
  virtual void tick() = 0;  // called regularly
  void ready(unsigned events);
  bool is_open() const { return fd_ >= 0; }

 protected:
  virtual void received() = 0;  // has appended to in_
  virtual void ended() = 0;
  virtual bool reads() const { return true; }
  void flush();
  void close();
  void reset();
  void watch();

  Loop& loop_;
  string in_;
  string out_;
  std::size_t sent_ = 0;
  Clock::time_point changed_ = Clock::now();

 private:
  const int receive_buffer_;
  int fd_ = -1;
  unsigned watched_ = 0;
};

class Loop {
 public:
  explicit Loop(const Options& options) : options_(options), epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    model_.read(options.model);
  }
  ~Loop() { ::close(epoll_); }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void run();
  const Options& options() const { return options_; }
  Model& model() { return model_; }
  Counts& counts() { return counts_; }
  Asker& asker() { return *asker_; }
  int epoll() const { return epoll_; }
  // Whether another question should be asked.
  bool wants_more() {
    if (is_over()) return false;
    ++asked_;
    return true;
  }
  bool is_over() const {
    if (counts_.wrong >= kMostComplaints) return true;
    if (asked_ >= options_.requests) return options_.least_seconds == 0 || Clock::now() > least_end_;
    return asked_ % 64 == 0 && Clock::now() > end_;
  }
  // Whether a connection may end early. If the machine is so busy that this loop stalls, clients are late, too.
  bool may_end() const { return options_.drops || options_.faulty || late_; }
  Number busy = 0;  // connections that wait for an answer

 private:
  void report(double seconds) const;

  const Options options_;
  Model model_;
  Counts counts_;
  std::unique_ptr<Asker> asker_;
  int epoll_;
  Number asked_ = 0;
  bool late_ = false;
  Clock::time_point least_end_;
  Clock::time_point end_;
};

void Link::open() {
  in_.clear();
  out_.clear();
  sent_ = 0;
  changed_ = Clock::now();
  fd_ = connect_to(loop_.options().port, receive_buffer_);
  if (fd_ < 0) return ended();
  watched_ = EPOLLIN | EPOLLRDHUP;
  epoll_event event{.events = watched_, .data = {.ptr = this}};
  ::epoll_ctl(loop_.epoll(), EPOLL_CTL_ADD, fd_, &event);
}

void Link::watch() {
  if (fd_ < 0) return;
  const unsigned wanted = (reads() ? EPOLLIN | EPOLLRDHUP : 0U) | (sent_ < out_.size() ? EPOLLOUT : 0U);
  if (wanted == watched_) return;
  watched_ = wanted;
  epoll_event event{.events = watched_, .data = {.ptr = this}};
  ::epoll_ctl(loop_.epoll(), EPOLL_CTL_MOD, fd_, &event);
}

void Link::flush() {
  while (fd_ >= 0 && sent_ < out_.size()) {
    const ssize_t done = ::send(fd_, out_.data() + sent_, out_.size() - sent_, MSG_NOSIGNAL);
    if (done < 0 && (errno == EAGAIN || errno == ENOTCONN)) break;
    if (done < 0) break;  // earlier answers are still read
    sent_ += static_cast<std::size_t>(done);
  }
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = 0;
  }
  watch();
}

void Link::ready(unsigned events) {
  if (fd_ < 0) return;
  if ((events & EPOLLOUT) != 0) flush();
  if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) == 0 || fd_ < 0) return;
  std::array<char, 65'536> bytes;
  const ssize_t got = ::recv(fd_, bytes.data(), reads() ? bytes.size() : 1024, 0);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (got <= 0) {
    close();
    return ended();
  }
  changed_ = Clock::now();
  in_.append(bytes.data(), static_cast<std::size_t>(got));
  received();
}

void Link::close() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

// Closes the connection with a reset.
void Link::reset() {
  const linger none{.l_onoff = 1, .l_linger = 0};
  if (fd_ >= 0) ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &none, sizeof none);
  close();
}

// ---- connections that ask

class RequestLink final : public Link {
 public:
  explicit RequestLink(Loop& loop) : Link(loop, 0) {}

  void open() override {
    Link::open();
    if (is_open()) ask();
  }

  void tick() override {
    if (!is_open()) {
      if (more_) open();
    } else if (!in_flight_.empty() && Clock::now() - changed_ > kIdleLimit) {
      loop_.counts().complain("no answer in a minute to " + in_flight_.front().bytes);
      close();
      ended();
    }
  }

 private:
  void ask() {
    while (more_ && in_flight_.size() < loop_.options().depth) {
      more_ = loop_.wants_more();
      if (!more_) break;
      if (in_flight_.empty()) {
        ++loop_.busy;
        changed_ = Clock::now();
      }
      in_flight_.push_back(loop_.asker().next());
      out_ += in_flight_.back().bytes;
    }
    flush();
  }

  void received() override {
    for (Reply reply; is_open() && take_reply(in_, reply);) {
      if (in_flight_.empty()) return loop_.counts().complain("an answer to nothing: " + reply.body);
      if (reply.status == 408 && loop_.may_end()) {  // the clock jumped while the request was read
        close();
        return ended();
      }
      Question question = std::move(in_flight_.front());
      in_flight_.pop_front();
      if (in_flight_.empty()) --loop_.busy;
      judge(question, reply);
    }
    ask();
  }

  void judge(Question& question, const Reply& reply) {
    Counts& counts = loop_.counts();
    ++counts.requests;
    ++counts.answered[question.name];
    ++counts.statuses[reply.status];
    if (question.refused(reply)) return;
    const Options& options = loop_.options();
    if ((options.faulty || (options.full && question.writes)) &&
        (reply.status >= 500 || reply.status == 409 || is_missing(reply))) {
      ++counts.errors;
      return question.lost();
    }
    if (options.stalling != 0 && reply.status == 503 && reply.body.find("\"overloaded\"") != string::npos) {
      ++counts.overloaded;
      return question.lost();
    }
    const string wrong = question.check(reply);
    if (!wrong.empty())
      counts.complain(question.name + ": " + wrong + "; asked " + question.bytes.substr(0, 2000) + "; got " +
                      std::to_string(reply.status) + " " + reply.body.substr(0, 1000));
  }

  // Whether the index is currently missing.
  static bool is_missing(const Reply& reply) {
    return reply.status == 404 && reply.body.find("no document") == string::npos;
  }

  void ended() override {
    if (!in_flight_.empty()) --loop_.busy;
    if (!loop_.may_end() && !(in_flight_.empty() && !more_)) loop_.counts().complain("the server closed a connection");
    loop_.counts().dropped += in_flight_.size();
    for (const Question& question : in_flight_) question.lost();
    in_flight_.clear();
  }

  std::deque<Question> in_flight_;
  bool more_ = true;
};

// ---- connections that stall

class StallingLink final : public Link {
 public:
  enum Kind { silent, half_head, half_body, slow_reader, slow_writer, steady_writer, rude, kinds };

  StallingLink(Loop& loop, Number number, const string& big)
      : Link(loop, number % kinds == slow_reader ? 4096 : 0),
        kind_(static_cast<Kind>(number % (loop.options().index ? kinds : slow_reader))),
        big_(big),
        ticks_(number) {}

  void open() override {
    Link::open();
    if (!is_open()) return;
    const string get = request("GET", "/healthz", "");
    planned_.clear();
    if (kind_ == half_head) out_ = get.substr(0, 30);
    if (kind_ == half_body)
      out_ = request("POST", loop_.options().index ? "/v1/query" : "/v1/seen", string(5000, ' '), loop_.options().token)
                 .substr(0, 3000);
    if (kind_ == slow_reader) out_ = request("GET", "/v1/documents/big", "");
    if (kind_ == slow_writer || kind_ == steady_writer) planned_ = get;
    if (kind_ == rude) out_ = request("POST", "/v1/query", R"({"text":")" + big_.substr(0, 20'000) + "\"}");
    flush();
  }

  void tick() override {
    ++ticks_;
    if (!is_open()) {
      if (ticks_ % 16 == 0) open();
    } else if (kind_ == slow_reader) {
      ready(EPOLLIN);
    } else if (kind_ == rude && ticks_ % 512 == 0) {
      ++loop_.counts().stalled["rude"];
      reset();
    } else if (!planned_.empty()) {
      const std::size_t bytes = kind_ == slow_writer ? (ticks_ % 64 == 0 ? 1 : 0) : 8;
      out_ += planned_.substr(0, bytes);
      planned_.erase(0, bytes);
      flush();
    }
  }

 private:
  bool reads() const override { return kind_ != slow_reader; }

  void received() override {
    if (kind_ == slow_reader || kind_ == rude) return;
    Reply reply;
    if (!take_reply(in_, reply)) return;
    const bool whole = kind_ == steady_writer || kind_ == slow_writer;
    const bool late = kind_ != silent && kind_ != steady_writer;
    if ((whole && reply.status == 200) || (reply.status == 408 && (late || loop_.may_end())) ||
        (loop_.options().faulty && reply.status >= 404)) {
      ++loop_.counts().stalled[std::to_string(reply.status)];
      ++loop_.counts().requests;
    } else {
      loop_.counts().complain("a stalling client of kind " + std::to_string(kind_) + " got " +
                              std::to_string(reply.status) + " " + reply.body.substr(0, 200));
    }
    close();
  }

  void ended() override {
    if (kind_ != slow_reader) {
      ++loop_.counts().stalled["ended"];
      return;
    }
    Reply reply;
    string bytes = in_;
    const std::size_t head = bytes.find("\r\n\r\n");
    const string start = R"({"id":"big","tokens":)";
    if (take_reply(bytes, reply) && reply.status == 200) {
      ++loop_.counts().stalled["read slowly"];
      ++loop_.counts().requests;
      if (reply.body != start + std::to_string(kBigWords) + ",\"text\":\"" + big_ + "\"}\n")
        loop_.counts().complain("a slow reader got another text");
    } else {
      ++loop_.counts().stalled["cut off"];
      if (head != string::npos && in_.starts_with("HTTP/1.1 200") && in_.find(start) == string::npos &&
          in_.size() > 1000)
        loop_.counts().complain("a slow reader got the start of another text");
    }
  }

  const Kind kind_;
  const string& big_;
  string planned_;
  Number ticks_;
};

void Loop::run() {
  asker_ = std::make_unique<Asker>(options_, model_);
  const Clock::time_point began = Clock::now();
  const auto after = [&](double seconds) {
    return began + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  };
  least_end_ = after(options_.least_seconds);
  end_ = after(options_.seconds);
  const string big = model_.big_text();
  std::vector<std::unique_ptr<Link>> asking;
  std::vector<std::unique_ptr<Link>> stalling;
  for (Number i = 0; i < options_.stalling; ++i) stalling.push_back(std::make_unique<StallingLink>(*this, i, big));
  for (Number i = 0; i < options_.connections; ++i) asking.push_back(std::make_unique<RequestLink>(*this));
  for (const auto& link : asking) link->open();
  std::array<epoll_event, 256> events;
  Clock::time_point next = began;
  while (busy > 0 || !is_over()) {
    const int count = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 10);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      static_cast<Link*>(event.data.ptr)->ready(event.events);
    }
    if (Clock::now() < next) continue;
    late_ = late_ || Clock::now() - next > kLate;
    next = Clock::now() + kTick;
    for (const auto* links : {&asking, &stalling})
      for (const auto& link : *links) link->tick();
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  model_.write(options_.model);
  report(seconds);
}

template <class Map>
string json_of(const Map& map) {
  string out = "{";
  for (const auto& [key, value] : map) {
    std::ostringstream name;
    name << key;
    out += (out.size() > 1 ? ",\"" : "\"") + name.str() + "\":" + std::to_string(value);
  }
  return out + "}";
}

void Loop::report(double seconds) const {
  std::cout << "{\"requests\":" << counts_.requests << ",\"seconds\":" << seconds << ",\"errors\":" << counts_.errors
            << ",\"overloaded\":" << counts_.overloaded << ",\"dropped\":" << counts_.dropped
            << ",\"wrong\":" << counts_.wrong << ",\"answered\":" << json_of(counts_.answered)
            << ",\"statuses\":" << json_of(counts_.statuses) << ",\"stalled\":" << json_of(counts_.stalled) << "}"
            << std::endl;
}

void create(const Options& options, const string& sizes) {
  Model model;
  model.seed = options.seed;
  model.pairs.assign(std::stoull(sizes), {1, 1, false});
  model.solos.assign(std::stoull(sizes.substr(sizes.find(',') + 1)), {0, 0, false});
  model.write(options.model);
}

void fill(const Options& options) {
  Model model;
  model.read(options.model);
  for (Number pair = 0; pair < model.pairs.size(); ++pair)
    for (const char* const side : {"L", "R"})
      std::cout << record(side + std::to_string(pair), model.pair_text(pair, model.pairs[pair].low));
  std::cout << record("big", model.big_text());
}

int main_of(const std::vector<string>& words) {
  if (words.size() == 4 && words[0] == "--renumber") {
    renumber(words[1], words[2], words[3]);
    return 0;
  }
  Options options;
  string sizes;
  bool fills = false;
  const std::map<string, bool*> flags = {{"--fill", &fills},
                                         {"--crowds", &options.crowds},
                                         {"--faulty", &options.faulty},
                                         {"--full", &options.full},
                                         {"--drops", &options.drops}};
  const std::map<string, bool*> negations = {
      {"--no-index", &options.index}, {"--no-library", &options.library}, {"--no-writes", &options.writes}};
  const std::map<string, Number*> numbers = {{"--seed", &options.seed},
                                             {"--requests", &options.requests},
                                             {"--connections", &options.connections},
                                             {"--depth", &options.depth},
                                             {"--stalling", &options.stalling}};
  const std::map<string, string*> texts = {
      {"--token", &options.token}, {"--model", &options.model}, {"--create", &sizes}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const string& word = words[i];
    if (flags.contains(word)) {
      *flags.at(word) = true;
    } else if (negations.contains(word)) {
      *negations.at(word) = false;
    } else if (i + 1 == words.size()) {
      throw std::runtime_error(word + ": unknown, or without its value");
    } else if (numbers.contains(word)) {
      *numbers.at(word) = std::stoull(words[++i]);
    } else if (texts.contains(word)) {
      *texts.at(word) = words[++i];
    } else if (word == "--port") {
      options.port = std::stoi(words[++i]);
    } else if (word == "--seconds" || word == "--least-seconds") {
      (word == "--seconds" ? options.seconds : options.least_seconds) = std::stod(words[++i]);
    } else {
      throw std::runtime_error(word + ": unknown");
    }
  }
  if (!sizes.empty()) {
    create(options, sizes);
    return 0;
  }
  if (fills) {
    fill(options);
    return 0;
  }
  Loop loop(options);
  loop.run();
  return loop.counts().wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace months

int main(int count, char** words) {
  try {
    return months::main_of({words + 1, words + count});
  } catch (const std::exception& error) {
    std::cerr << "load: " << error.what() << std::endl;
    return 2;
  }
}
